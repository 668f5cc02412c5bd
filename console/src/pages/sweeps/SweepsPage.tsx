import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format/number";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { MethodLink } from "../job/MethodLink";
import { sweepsQuery } from "../pipelines/queries";
import { RunsToolbar, RunTable } from "../pipelines/RunTable";
import { matching, parseRuns } from "../pipelines/runs";

const START =
  "sf sweep my-sft --grid learning_rate=1e-5,3e-5 --metric train/loss --jobs 2\nsf sweep show my-sft";

/** The sweeps of the server, newest first. */
export function SweepsPage() {
  const { t } = useTranslation("runs");
  const search: Record<string, string> = useSearch({ strict: false });
  const filter = parseRuns(search);
  const found = useQuery(sweepsQuery);
  const runs = matching(found.data ?? [], filter);
  return (
    <Page
      title={t("sweeps.title")}
      subtitle={found.data && t("sweeps.count", { count: runs.length })}
    >
      <RunsToolbar to="/sweeps" filter={filter} label={t("sweeps.search")} />
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && !found.error && <Loading lines={8} />}
      {found.data?.length === 0 && (
        <Empty title={t("sweeps.empty")} text={t("sweeps.emptyText")} command={START} />
      )}
      {found.data && found.data.length > 0 && runs.length === 0 && (
        <Empty title={t("sweeps.none")} text={t("sweeps.noneText")} />
      )}
      {runs.length > 0 && (
        <RunTable
          to="/sweeps"
          runs={runs}
          parts={t("columns.trials")}
          columns={[
            { title: t("columns.method"), cell: (one) => <MethodLink method={one.method} /> },
            {
              title: t("columns.metric"),
              cell: (one) => (
                <span className="sf-mono">
                  {one.metric} {one.goal === "max" ? "↑" : "↓"}
                </span>
              ),
            },
            {
              title: t("columns.best"),
              cell: (one) => (
                <span style={{ whiteSpace: "nowrap" }}>{formatNumber(one.best_value)}</span>
              ),
            },
          ]}
        />
      )}
    </Page>
  );
}
