/** What a stage's fields say. */
import type { Schemas } from "@/api/client";
import { formatNumber } from "@/format/number";
import type { Stage } from "../pipelines/queries";

type Score = Schemas["Score"];

/** `0.412 ± 0.014 gsm8k.exact_match`: the figure first, for what is cut off at the end. */
export function scoreText(score: Score): string {
  return `${valueText(score.value, score.stderr)} ${score.benchmark}.${score.metric}`;
}

/** A value with its standard error, where there is one. */
export function valueText(
  value: number | null | undefined,
  stderr: number | null | undefined,
): string {
  const spread = stderr === null || stderr === undefined ? "" : ` ± ${formatNumber(stderr, 2)}`;
  return `${formatNumber(value)}${spread}`;
}

export interface Opponent {
  stage: string;
  a: string;
  b: string;
}

/**
 * The first other stage that ran a benchmark of this one: they can be compared item by item.
 * Scores that a script reports by itself have no items.
 */
export function opponentOf(stage: Stage, stages: Stage[]): Opponent | null {
  const own = new Set((stage.scores ?? []).map((one) => one.benchmark));
  if (!stage.job_id || own.size === 0 || stage.kind !== "benchmark") return null;
  for (const other of stages) {
    if (other.name === stage.name) return null; // only with those before it
    if (other.kind !== "benchmark") continue;
    const shared = (other.scores ?? []).some((one) => own.has(one.benchmark));
    if (shared && other.job_id && other.job_id !== stage.job_id) {
      return { stage: other.name, a: other.job_id, b: stage.job_id };
    }
  }
  return null;
}

/** Gates with what became of them: verdicts in place of the texts they are about. */
export function gatesOf(stage: Stage): { gate: string; verdict: Schemas["Verdict"] | null }[] {
  const verdicts = new Map((stage.verdicts ?? []).map((one) => [one.gate, one]));
  return (stage.gates ?? []).map((gate) => ({ gate, verdict: verdicts.get(gate) ?? null }));
}
