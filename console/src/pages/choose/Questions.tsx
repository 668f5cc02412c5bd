import { Anchor, Group, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { newJobSearch } from "./asked";
import classes from "./choose.module.css";
import { type Answer, type Question, walk } from "./flow";
import { MethodChoices } from "./MethodChoice";
import { flowQuery } from "./queries";
import { useAsked } from "./useAsked";

/** The flowchart as questions, one at a time; each answer can be taken back. */
export function Questions() {
  const { t } = useTranslation("choose");
  const { asked, set } = useAsked();
  const flow = useQuery(flowQuery(asked.gpus));
  if (flow.error) return <Problem error={flow.error} onRetry={() => void flow.refetch()} />;
  if (!flow.data) return <Loading lines={8} />;
  const { steps, open } = walk(flow.data.questions, asked.answers);
  const ids = steps.map((step) => step.answer.id);
  const last = steps.at(-1)?.answer;
  return (
    <Stack gap="md">
      {steps.map((step, index) => (
        <Group key={step.question.id} gap={8} align="baseline">
          <Text size="sm" c="dimmed">
            {both(step.question.text)}
          </Text>
          <Text size="sm" fw={500}>
            {both(step.answer.label)}
          </Text>
          <Anchor
            component="button"
            size="sm"
            aria-label={t("changeAnswer", { question: both(step.question.text) })}
            onClick={() => set({ answers: ids.slice(0, index).join(",") }, true)}
          >
            {t("change")}
          </Anchor>
        </Group>
      ))}
      {open && (
        <Ask
          key={open.id}
          question={open}
          asked={steps.length > 0}
          onAnswer={(answer) => set({ answers: [...ids, answer.id].join(",") }, true)}
        />
      )}
      {!open && last && <Outcome answer={last} gpus={flow.data.gpus} />}
    </Stack>
  );
}

interface AskProps {
  question: Question;
  /** A question after the first takes the focus, for those who go by keyboard or ear. */
  asked: boolean;
  onAnswer: (answer: Answer) => void;
}

function Ask({ question, asked, onAnswer }: AskProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (asked) title.current?.focus();
  }, [asked]);
  return (
    <section aria-label={both(question.text)}>
      <Title order={2} size="h3" mb={8} ref={title} tabIndex={-1} style={{ outline: "none" }}>
        {both(question.text)}
      </Title>
      <div className="sf-panel">
        {(question.answers ?? []).map((answer) => (
          <UnstyledButton
            key={answer.id}
            className={classes.answer}
            onClick={() => onAnswer(answer)}
          >
            <Text size="sm" fw={500}>
              {both(answer.label)}
            </Text>
            {answer.about && (
              <Text size="xs" c="dimmed">
                {both(answer.about).replaceAll("`", "")}
              </Text>
            )}
          </UnstyledButton>
        ))}
      </div>
    </section>
  );
}

function Outcome({ answer, gpus }: { answer: Answer; gpus: number }) {
  const { t } = useTranslation("choose");
  const { asked } = useAsked();
  const choices = (answer.methods ?? []).map((one) => ({
    method: one.method,
    title: both(one.title),
    reason: [both(one.reason), one.gpus > gpus && t("needsGpus", { count: one.gpus })]
      .filter(Boolean)
      .join(t("join")),
    search: newJobSearch(one.method, asked, {}),
  }));
  return (
    <section aria-label={t("methods")}>
      <Title order={2} size="h3" mb={2}>
        {t("methods")}
      </Title>
      <Text size="sm" c="dimmed" mb={8}>
        {t("order", { count: gpus })}
      </Text>
      <MethodChoices choices={choices} />
    </section>
  );
}
