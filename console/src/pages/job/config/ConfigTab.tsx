import { Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, ask, type JobDetail } from "@/api/client";
import { jobQuery } from "@/api/queries";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { SearchBox } from "@/ui/SearchBox";
import { jobOf } from "../overview/lineage";
import { ConfigTable } from "./ConfigTable";
import {
  type ConfigRow,
  changedRows,
  differenceRows,
  fullRows,
  matches,
  type Plan,
  parameterRows,
} from "./configRows";

type View = "full" | "upstream" | "other";

export const planQuery = (job: string) =>
  queryOptions({
    queryKey: ["job", job, "plan"],
    queryFn: async () =>
      (await ask(api.GET("/api/v1/jobs/{job}/plan", { params: { path: { job } } }))) as Plan,
    staleTime: Number.POSITIVE_INFINITY, // a plan never changes
    retry: false,
  });

/** The resolved config: everything, what was changed from upstream, or against another job. */
export function ConfigTab({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const search: Record<string, string> = useSearch({ strict: false });
  const navigate = useNavigate();
  const view: View = search.view === "upstream" || search.view === "other" ? search.view : "full";
  const against = search.against ?? jobOf(job.model ?? "") ?? job.parent ?? "";
  const wanted = search.q ?? "";
  const change = useCallback(
    (next: Record<string, string | undefined>) =>
      void navigate({
        to: ".",
        replace: true,
        search: (old: Record<string, unknown>) => ({ ...old, ...next }) as never,
      }),
    [navigate],
  );
  const find = useCallback((q: string) => change({ q: q || undefined }), [change]);
  const plan = useQuery(planQuery(job.id));
  if (plan.error) return <Problem error={plan.error} onRetry={() => void plan.refetch()} />;
  if (!plan.data) return <Loading lines={10} />;
  return (
    <Stack gap="sm">
      <Group gap="sm" className="sf-fields">
        <SegmentedControl
          size="xs"
          aria-label={t("config.view")}
          value={view}
          onChange={(next) => change({ view: next === "full" ? undefined : next })}
          data={(["full", "upstream", "other"] as const).map((value) => ({
            value,
            label: t(`config.${value}`),
          }))}
        />
        <SearchBox value={wanted} onChange={find} label={t("config.search")} />
        {view === "other" && (
          <Against value={against} onChange={(next) => change({ against: next })} />
        )}
      </Group>
      {view === "other" ? (
        <Compared plan={plan.data} against={against} search={wanted} />
      ) : (
        <Own plan={plan.data} view={view} search={wanted} />
      )}
    </Stack>
  );
}

function Against({ value, onChange }: { value: string; onChange: (job: string) => void }) {
  const { t } = useTranslation("job");
  const [text, setText] = useState(value);
  return (
    <TextInput
      w={220}
      aria-label={t("config.against")}
      placeholder={t("config.against")}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => onChange(text.trim())}
      onKeyDown={(event) => {
        if (event.key === "Enter") onChange(text.trim());
      }}
    />
  );
}

function Own({ plan, view, search }: { plan: Plan; view: "full" | "upstream"; search: string }) {
  const { t } = useTranslation("job");
  const rows = view === "full" ? fullRows(plan) : changedRows(plan);
  const parameters = view === "full" ? parameterRows(plan) : [];
  if (view === "upstream" && rows.length === 0)
    return <Text c="dimmed">{t("config.unchanged")}</Text>;
  if (rows.length + parameters.length === 0)
    return <Empty title={t("config.none")} text={t("config.noneText")} />;
  return (
    <>
      <Found rows={parameters} search={search} columns="none" caption={t("config.parameters")} />
      <Found
        rows={rows}
        search={search}
        columns="default"
        caption={view === "full" ? t("config.frameworkConfig") : undefined}
      />
    </>
  );
}

interface ComparedProps {
  plan: Plan;
  against: string;
  search: string;
}

function Compared({ plan, against, search }: ComparedProps) {
  const { t } = useTranslation("job");
  const other = useQuery({ ...jobQuery(against), enabled: against !== "", retry: false });
  const theirs = useQuery({ ...planQuery(against), enabled: against !== "" });
  if (!against) return <Text c="dimmed">{t("config.choose")}</Text>;
  const error = other.error ?? theirs.error;
  if (error) return <Problem error={error} onRetry={() => void theirs.refetch()} />;
  if (!other.data || !theirs.data) return <Loading />;
  const rows = [
    ...differenceRows(plan.parameters, theirs.data.parameters),
    ...differenceRows(plan.config, theirs.data.config),
  ].filter((row, at, all) => all.findIndex((one) => one.key === row.key) === at);
  if (rows.length === 0) return <Text c="dimmed">{t("config.same")}</Text>;
  return <Found rows={rows} search={search} columns="theirs" other={other.data.name} />;
}

interface FoundProps {
  rows: ConfigRow[];
  search: string;
  columns: "default" | "theirs" | "none";
  other?: string;
  caption?: string | undefined;
}

function Found({ rows, search, columns, other, caption }: FoundProps) {
  const { t } = useTranslation();
  if (rows.length === 0) return null;
  const found = rows.filter((row) => matches(row, search));
  if (found.length === 0) return <Text c="dimmed">{t("table.none")}</Text>;
  return (
    <ConfigTable
      rows={found}
      columns={columns}
      {...(other ? { other } : {})}
      {...(caption ? { caption } : {})}
    />
  );
}
