import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { firstRows } from "@/format/rows";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { RowsTable } from "@/ui/RowsTable";
import { datasetsQuery, headQuery } from "../form/calls";
import type { Rows, Split } from "../form/draft";
import { useForm } from "../form/useForm";

const SHOWN = 3;
const SAMPLED = 50; // rows whose columns are looked at

/** The digest under which the rows of a split lie on the server as JSON lines, once known. */
export function useRowsDigest(split: Split, rows: Rows | undefined): string | null {
  const { start, checked, body } = useForm();
  const datasets = useQuery({ ...datasetsQuery, enabled: !!rows?.reference }).data;
  if (!rows) return null;
  if (rows.sample) return start.values.data?.[split]?.digest ?? null;
  if (rows.reference !== undefined) {
    return datasets?.find((one) => one.ref === rows.reference)?.digest ?? null;
  }
  if (!rows.digest) return null;
  if (/\.(jsonl|ndjson)$/i.test(rows.file ?? "")) return rows.digest;
  // Other formats are converted by the server; its answer names the result.
  const asked = body.data?.[split]?.digest === rows.digest;
  return asked ? (checked?.bundle.values.data?.[split]?.digest ?? null) : null;
}

/** The first rows of a split. */
export function useFirstRows(split: Split, rows: Rows | undefined) {
  const digest = useRowsDigest(split, rows);
  const head = useQuery(headQuery(digest));
  return { ...head, rows: head.data === undefined ? undefined : firstRows(head.data, SAMPLED) };
}

/** A table of the first rows, with the columns renamed as the method will read them. */
export function Preview({ split, rows }: { split: Split; rows: Rows }) {
  const { t } = useTranslation("newJob");
  const { draft } = useForm();
  const found = useFirstRows(split, rows);
  if (found.error) return <Problem error={found.error} title={t("data.noPreview")} />;
  if (found.isLoading) return <Loading lines={3} />;
  if (!found.rows || found.rows.length === 0) return null;
  return (
    <RowsTable small rows={found.rows.slice(0, SHOWN)} map={draft.map} label={t(`data.${split}`)} />
  );
}
