import {
  Box,
  Button,
  FileButton,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Text,
} from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { uploadBlob } from "@/api/upload";
import { Problem } from "@/ui/Problem";
import { Section } from "@/ui/Section";
import { datasetsQuery } from "../form/calls";
import { type Rows, SPLITS, type Split } from "../form/draft";
import { fieldId } from "../form/fields";
import { useForm } from "../form/useForm";
import { Columns } from "./Columns";
import { FieldFindings } from "./Findings";
import { Preview } from "./Preview";

const READABLE = ".jsonl,.json,.csv,.tsv,.ndjson";
type Source = "sample" | "dataset" | "file" | "none";

/** The rows of every split the method reads, with a look at them, and their columns. */
export function Data() {
  const { t } = useTranslation("newJob");
  const { recipe, draft } = useForm();
  const splits = SPLITS.filter((split) => recipe.data_spec[split] !== "none");
  if (splits.length === 0) return null;
  return (
    <Section title={t("data.title")}>
      <Stack gap="md">
        <FieldFindings field="data" />
        {splits.map((split) => (
          <SplitField key={split} split={split} need={recipe.data_spec[split]} />
        ))}
        {draft.data.train && <Columns />}
      </Stack>
    </Section>
  );
}

function sourceOf(rows: Rows | undefined): Source {
  if (!rows) return "none";
  if (rows.sample) return "sample";
  return rows.reference === undefined ? "file" : "dataset";
}

function SplitField({ split, need }: { split: Split; need: string }) {
  const { t } = useTranslation("newJob");
  const { draft, set, first } = useForm();
  const rows = draft.data[split];
  const source = sourceOf(rows);
  function choose(next: Rows | undefined) {
    const { [split]: _, ...rest } = draft.data;
    set({ data: next ? { ...rest, [split]: next } : rest });
  }
  const sample = first.data[split]?.sample ? (["sample"] as const) : [];
  const none = need === "optional" || source === "none" ? (["none"] as const) : [];
  const sources: Source[] = [...sample, "dataset", "file", ...none];
  const empty: Record<Source, Rows | undefined> = {
    sample: { sample: true },
    dataset: { reference: "" },
    file: { digest: "", file: "" },
    none: undefined,
  };
  const name = t(`data.${split}`);
  return (
    <Box id={fieldId(`data.${split}`)} role="group" aria-label={name}>
      <Group gap="sm" mb={6}>
        <Text size="xs" fw={500} w={76}>
          {name}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label={name}
          value={source}
          onChange={(value) => choose(empty[value as Source])}
          data={sources.map((value) => ({ value, label: t(`data.source.${value}`) }))}
        />
        {source === "dataset" && <DatasetField name={name} rows={rows as Rows} onChange={choose} />}
        {source === "file" && <FileField rows={rows as Rows} onChange={choose} />}
      </Group>
      <Box mb={6}>
        <FieldFindings field={`data.${split}`} />
      </Box>
      {rows && <Preview split={split} rows={rows} />}
    </Box>
  );
}

interface ChoiceProps {
  rows: Rows;
  onChange: (rows: Rows) => void;
}

function DatasetField({ name, rows, onChange }: ChoiceProps & { name: string }) {
  const { t } = useTranslation("newJob");
  const datasets = useQuery(datasetsQuery).data;
  const refs = (datasets ?? []).map((one) => one.ref);
  const known = new Map((datasets ?? []).map((one) => [one.ref, one]));
  const value = rows.reference ?? "";
  if (datasets && refs.length === 0 && !value) {
    return (
      <Text size="xs" c="dimmed">
        {t("data.noDatasets")} <span className="sf-mono">sf dataset add NAME FILE</span>
      </Text>
    );
  }
  return (
    <Select
      searchable
      w={260}
      aria-label={t("data.dataset", { split: name })}
      placeholder={t("data.pick")}
      value={value || null}
      data={[...new Set([...refs, ...(value ? [value] : [])])]}
      onChange={(reference) => onChange({ reference: reference ?? "" })}
      renderOption={({ option }) => (
        <Group gap={8} justify="space-between" wrap="nowrap" w="100%">
          <Text size="xs">{option.value.replace(/^dataset:/, "")}</Text>
          <Text size="xs" c="dimmed">
            {t("data.rows", { count: known.get(option.value)?.rows ?? 0 })}
          </Text>
        </Group>
      )}
    />
  );
}

function FileField({ rows, onChange }: ChoiceProps) {
  const { t } = useTranslation("newJob");
  const upload = useMutation({
    mutationFn: async (file: File) => ({ file, digest: await uploadBlob(file) }),
    onSuccess: ({ file, digest }) => onChange({ digest, file: file.name }),
  });
  return (
    <>
      <FileButton accept={READABLE} onChange={(file) => file && upload.mutate(file)}>
        {(props) => (
          <Button
            {...props}
            variant="default"
            leftSection={<IconUpload size={14} />}
            loading={upload.isPending}
          >
            {rows.digest ? t("data.other") : t("data.upload")}
          </Button>
        )}
      </FileButton>
      <Text size="xs" c="dimmed" maw={260} truncate>
        {rows.digest ? rows.file : t("data.formats")}
      </Text>
      {upload.error && <Problem error={upload.error} title={t("data.uploadFailed")} />}
    </>
  );
}
