import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { PAGE_SIZE, pipelinesQuery } from "./queries";
import { Pages, RunsToolbar, RunTable } from "./RunTable";
import { parseRuns } from "./runs";

const START = "sf pipeline new math --template sft-grpo-benchmark\nsf pipeline run math --watch";

/** All pipelines of the server, newest first. */
export function PipelinesPage() {
  const { t } = useTranslation("runs");
  const search: Record<string, string> = useSearch({ strict: false });
  const filter = parseRuns(search);
  const found = useQuery(pipelinesQuery(filter));
  const total = found.data?.total ?? 0;
  const filtered = filter.state !== undefined || filter.search !== undefined;
  return (
    <Page
      title={t("pipelines.title")}
      subtitle={found.data && t("pipelines.count", { count: total })}
    >
      <RunsToolbar to="/pipelines" filter={filter} label={t("pipelines.search")} />
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && !found.error && <Loading lines={8} />}
      {found.data && total === 0 && filtered && (
        <Empty title={t("pipelines.none")} text={t("pipelines.noneText")} />
      )}
      {found.data && total === 0 && !filtered && (
        <Empty title={t("pipelines.empty")} text={t("pipelines.emptyText")} command={START} />
      )}
      {found.data && total > 0 && (
        <RunTable
          to="/pipelines"
          runs={found.data.pipelines}
          parts={t("columns.stages")}
          columns={[
            {
              title: t("columns.owner"),
              cell: (one) => (
                <Text span size="sm" c="dimmed">
                  {one.owner ?? "–"}
                </Text>
              ),
            },
          ]}
          remark={(one) => (one.state === "succeeded" ? null : one.message)}
        />
      )}
      <Pages filter={filter} pages={Math.ceil(total / PAGE_SIZE)} />
    </Page>
  );
}
