import { Autocomplete, Box, type ComboboxParsedItem, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Section } from "@/ui/Section";
import { finishedQuery, modelsQuery } from "../form/calls";
import { fieldId } from "../form/fields";
import { useForm } from "../form/useForm";
import { FieldFindings, useInvalid } from "./Findings";

const TINY = "starforge:tiny";

/** The model to train, and those that teach or judge it, as far as the method takes them. */
export function Models() {
  const { t } = useTranslation("newJob");
  const { recipe } = useForm();
  const kinds = (["model", "teacher", "reward"] as const).filter((kind) => recipe[kind] !== "none");
  if (kinds.length === 0) return null;
  return (
    <Section title={t("model.title")}>
      <Stack gap="xs">
        {kinds.map((kind) => (
          <ModelField key={kind} kind={kind} optional={recipe[kind] === "optional"} />
        ))}
      </Stack>
    </Section>
  );
}

interface FieldProps {
  kind: "model" | "teacher" | "reward";
  optional: boolean;
}

function ModelField({ kind, optional }: FieldProps) {
  const { t } = useTranslation("newJob");
  const { draft, set, start } = useForm();
  const { data, names } = useChoices();
  const scripts = start.files.map((file) => file.name).filter((name) => name.endsWith(".py"));
  const own = kind === "reward" ? [{ group: t("model.files"), items: scripts }] : [];
  return (
    <Box id={fieldId(kind)}>
      <Autocomplete
        size="xs"
        label={optional ? t("optional", { what: t(`model.${kind}`) }) : t(`model.${kind}`)}
        description={t(`model.${kind}Text`)}
        value={draft[kind]}
        onChange={(value) => set({ [kind]: value })}
        data={[...own, ...data]}
        filter={({ options, search }) => fitting(options, search, names)}
        renderOption={({ option }) => (
          <Box miw={0}>
            <Text size="xs" className="sf-mono">
              {option.value}
            </Text>
            {names.has(option.value) && (
              <Text size="xs" c="dimmed" lineClamp={1}>
                {names.get(option.value)}
              </Text>
            )}
          </Box>
        )}
        error={useInvalid(kind)}
        spellCheck={false}
      />
      <FieldFindings field={kind} />
    </Box>
  );
}

/** Models of this server: registered ones and those of jobs that succeeded. */
function useChoices() {
  const { t } = useTranslation("newJob");
  const models = useQuery(modelsQuery).data ?? [];
  const jobs = (useQuery(finishedQuery).data?.jobs ?? []).filter(
    (job) => !job.method.startsWith("evalkit/") && !job.method.endsWith("/export"),
  );
  const names = new Map<string, string>([[TINY, t("model.tiny")]]);
  for (const one of models) names.set(one.ref, one.description ?? one.architecture ?? one.kind);
  for (const job of jobs) names.set(`job:${job.id}`, `${job.name} · ${job.method}`);
  const data = [
    { group: t("model.registered"), items: models.map((one) => one.ref) },
    { group: t("model.jobs"), items: jobs.map((job) => `job:${job.id}`) },
    { group: t("model.trying"), items: [TINY] },
  ].filter((group) => group.items.length > 0);
  return { data, names };
}

/** All choices while the field holds one of them, else those in which its text stands. */
function fitting(
  options: ComboboxParsedItem[],
  search: string,
  names: ReadonlyMap<string, string>,
): ComboboxParsedItem[] {
  const words = search.trim().toLowerCase();
  const groups = options.filter((one) => "group" in one);
  if (!words || groups.some((one) => one.items.some((item) => item.value === search))) {
    return options;
  }
  return groups
    .map((one) => ({
      ...one,
      items: one.items.filter((item) =>
        `${item.value} ${names.get(item.value) ?? ""}`.toLowerCase().includes(words),
      ),
    }))
    .filter((one) => one.items.length > 0);
}
