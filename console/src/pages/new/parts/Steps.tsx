import { Checkbox, MultiSelect, Stack, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { benchmarksQuery } from "../form/calls";
import { fieldId } from "../form/fields";
import { restOf, restText, stepsOf, writtenSteps } from "../form/steps";
import { useForm } from "../form/useForm";
import { FieldFindings, useInvalid } from "./Findings";

/** What follows when the job has succeeded. */
export function Steps() {
  const { t } = useTranslation("newJob");
  const { draft, set, recipe } = useForm();
  const benchmarks = useQuery(benchmarksQuery).data ?? [];
  const steps = stepsOf(draft.steps);
  const invalid = useInvalid("then");
  if (recipe.framework === "evalkit") return null;
  const change = (patch: Partial<typeof steps>) =>
    set({ steps: writtenSteps({ ...steps, ...patch }) });
  const names = [...new Set([...benchmarks.map((one) => one.name), ...steps.benchmarks])];
  const titles = new Map(benchmarks.map((one) => [one.name, both(one.title)]));
  return (
    <Stack id={fieldId("then")} gap="xs" mt="sm">
      <Text size="xs" fw={500}>
        {t("run.follows")}
      </Text>
      <Checkbox
        size="xs"
        label={t("run.export")}
        checked={steps.exported}
        onChange={(event) => change({ exported: event.currentTarget.checked })}
      />
      <MultiSelect
        size="xs"
        maw={460}
        searchable
        label={t("run.benchmarks")}
        value={steps.benchmarks}
        data={names}
        error={invalid}
        onChange={(next) => change({ benchmarks: next })}
        renderOption={({ option }) => (
          <Stack gap={0}>
            <Text size="xs" className="sf-mono">
              {option.value}
            </Text>
            <Text size="xs" c="dimmed">
              {titles.get(option.value)}
            </Text>
          </Stack>
        )}
      />
      <Further rest={steps.rest} onChange={(rest) => change({ rest })} />
      <FieldFindings field="then" />
    </Stack>
  );
}

interface FurtherProps {
  rest: unknown[];
  onChange: (rest: unknown[]) => void;
}

/** Steps with settings of their own, as JSON; as typed as long as that is what they say. */
function Further({ rest, onChange }: FurtherProps) {
  const { t } = useTranslation("newJob");
  const [typed, setTyped] = useState("");
  const same = JSON.stringify(restOf(typed)) === JSON.stringify(rest);
  return (
    <Textarea
      size="xs"
      maw={460}
      autosize
      minRows={1}
      maxRows={8}
      spellCheck={false}
      classNames={{ input: "sf-mono" }}
      label={t("run.further")}
      placeholder='{"benchmark": "basics", "limit": 20}'
      value={same ? typed : restText(rest)}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onChange(restOf(event.currentTarget.value));
      }}
    />
  );
}
