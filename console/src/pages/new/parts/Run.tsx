import {
  Autocomplete,
  Box,
  Checkbox,
  MultiSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { Section } from "@/ui/Section";
import { benchmarksQuery, profilesQuery } from "../form/calls";
import { fieldId } from "../form/fields";
import { stepsOf, writtenSteps } from "../form/steps";
import { useForm } from "../form/useForm";
import { FieldFindings, useInvalid } from "./Findings";

/** Where it runs, before which others, and what follows. */
export function Run() {
  const { t } = useTranslation("newJob");
  return (
    <Section title={t("run.title")}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="xs" mb="xs">
        <Resources />
        <Priority />
      </SimpleGrid>
      <Steps />
    </Section>
  );
}

function Resources() {
  const { t } = useTranslation("newJob");
  const { draft, set } = useForm();
  const known = useQuery(profilesQuery(draft.method)).data?.profiles ?? [];
  const byName = new Map(known.map((one) => [one.name, one]));
  return (
    <Box id={fieldId("resources")}>
      <Autocomplete
        size="xs"
        label={t("run.resources")}
        value={draft.resources}
        onChange={(resources) => set({ resources })}
        data={known.map((one) => one.name)}
        filter={({ options }) => options}
        error={useInvalid("resources")}
        renderOption={({ option }) => {
          const one = byName.get(option.value);
          const state = one && (one.fits ? (one.free ? "free" : "taken") : "missing");
          return (
            <Stack gap={0}>
              <Text size="xs" className="sf-mono">
                {option.value}
              </Text>
              <Text size="xs" c="dimmed">
                {one ? both(one.title) : ""}
                {state ? ` · ${t(`run.${state}`)}` : ""}
              </Text>
            </Stack>
          );
        }}
      />
      <FieldFindings field="resources" />
    </Box>
  );
}

function Priority() {
  const { t } = useTranslation("newJob");
  const { draft, set } = useForm();
  return (
    <Box id={fieldId("priority")}>
      <NumberInput
        size="xs"
        label={t("run.priority")}
        allowDecimal={false}
        min={-1000}
        max={1000}
        value={draft.priority}
        error={useInvalid("priority")}
        onChange={(value) => set({ priority: Number(value) || 0 })}
      />
      <FieldFindings field="priority" />
    </Box>
  );
}

/** What follows when the job has succeeded. */
function Steps() {
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
      {steps.rest.length > 0 && (
        <Text size="xs" c="dimmed" className="sf-mono">
          {JSON.stringify(steps.rest)}
        </Text>
      )}
      <FieldFindings field="then" />
    </Stack>
  );
}
