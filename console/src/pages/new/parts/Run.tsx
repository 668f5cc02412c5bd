import { Autocomplete, Box, NumberInput, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { Section } from "@/ui/Section";
import { profilesQuery } from "../form/calls";
import { fieldId } from "../form/fields";
import { useForm } from "../form/useForm";
import { FieldFindings, useInvalid } from "./Findings";
import { Steps } from "./Steps";

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
