/** The flowchart of the server's rules: what is answered, what is asked next, where it ends. */
import type { Schemas } from "@/api/client";

export type Question = Schemas["ChooseQuestion"];
export type Answer = Schemas["ChooseAnswer"];

export interface Step {
  question: Question;
  answer: Answer;
}

export interface Walk {
  steps: Step[];
  /** What is asked now; none when the way has ended. */
  open: Question | null;
}

/** Follow the answers (their ids) as far as the flowchart knows them. */
export function walk(questions: readonly Question[], answers: readonly string[]): Walk {
  const steps: Step[] = [];
  let open: Question | null = questions[0] ?? null;
  for (const id of answers) {
    const answer: Answer | undefined = open?.answers?.find((one) => one.id === id);
    if (!open || !answer) break;
    steps.push({ question: open, answer });
    open = questions.find((one) => one.id === answer.next) ?? null;
  }
  return { steps, open };
}
