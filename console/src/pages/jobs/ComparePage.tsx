import { Anchor, Checkbox, CloseButton, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, ask, type JobDetail } from "@/api/client";
import { jobQuery } from "@/api/queries";
import { formatNumber } from "@/format/number";
import { Empty } from "@/ui/Empty";
import { KeyText } from "@/ui/KeyText";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { StateBadge } from "@/ui/StateBadge";
import { WideTable } from "@/ui/WideTable";
import { LINE_COLORS } from "../job/charts/ink";
import { valueText } from "../job/config/configRows";
import { CompareCurves } from "./CompareCurves";
import { type CompareRow, compareRows, jobsOf } from "./compare";

/** Of the names in px; on a phone two jobs fit beside it. */
const KEY_WIDTH = 124;

/** Several jobs side by side: what differs, what came out, their curves over each other. */
export function ComparePage() {
  const { t } = useTranslation("jobs");
  const search: Record<string, string> = useSearch({ strict: false });
  const ids = jobsOf(search.jobs);
  const found = useQueries({ queries: ids.map((id) => jobQuery(id)) });
  const scores = useQueries({
    queries: ids.map((id) => ({
      queryKey: ["job", id, "scores"],
      queryFn: () => ask(api.GET("/api/v1/jobs/{job}/scores", { params: { path: { job: id } } })),
    })),
  });
  const error = found.find((one) => one.error)?.error;
  const jobs = found.map((one) => one.data).filter((one): one is JobDetail => one !== undefined);
  return (
    <Page title={t("compareTitle")}>
      {ids.length === 0 && (
        <Empty title={t("compare.choose")} text={t("compare.chooseText")}>
          <Link to="/jobs" search={{}}>
            <Anchor component="span" size="sm">
              {t("title")}
            </Anchor>
          </Link>
        </Empty>
      )}
      {error && (
        <Problem error={error} onRetry={() => found.forEach((one) => void one.refetch())} />
      )}
      {jobs.length < ids.length && !error && <Loading />}
      {jobs.length > 0 && jobs.length === ids.length && (
        <Stack gap="lg">
          <CompareCurves jobs={jobs} />
          <Results
            jobs={jobs}
            ids={ids}
            metrics={compareRows(jobs.map((job) => bare(job.headline ?? {})))}
            scores={compareRows(
              scores.map((one) =>
                bare(
                  Object.fromEntries(
                    (one.data ?? []).map((score) => [
                      `${score.benchmark} ${score.metric}`,
                      score.value,
                    ]),
                  ),
                ),
              ),
            )}
          />
          <Parameters jobs={jobs} ids={ids} />
        </Stack>
      )}
    </Page>
  );
}

/** Numbers as people read them. */
function bare(values: Record<string, number | null>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, formatNumber(value)]),
  );
}

interface ResultsProps {
  jobs: JobDetail[];
  ids: string[];
  metrics: CompareRow[];
  scores: CompareRow[];
}

function Results({ jobs, ids, metrics, scores }: ResultsProps) {
  const { t } = useTranslation("jobs");
  return (
    <section>
      <Title order={2} mb="xs">
        {t("compare.results")}
      </Title>
      <CompareTable jobs={jobs} ids={ids} rows={[...metrics, ...scores]} states />
    </section>
  );
}

function Parameters({ jobs, ids }: { jobs: JobDetail[]; ids: string[] }) {
  const { t } = useTranslation("jobs");
  const [all, setAll] = useState(false);
  const given = (job: JobDetail) => ({
    method: job.method,
    ...(job.model ? { model: job.model } : {}),
    ...(job.data ? { data: job.data } : {}),
    ...(job.profile ? { profile: job.profile } : {}),
    ...job.parameters,
  });
  const rows = compareRows(jobs.map(given)).filter((row) => all || row.differs);
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{t("compare.parameters")}</Title>
        <Checkbox
          size="xs"
          label={t("compare.all")}
          checked={all}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      </Group>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t("compare.same")}
        </Text>
      ) : (
        <CompareTable jobs={jobs} ids={ids} rows={rows} />
      )}
    </section>
  );
}

interface TableProps {
  jobs: JobDetail[];
  ids: string[];
  rows: CompareRow[];
  states?: boolean;
}

function CompareTable({ jobs, ids, rows, states = false }: TableProps) {
  const { t } = useTranslation("jobs");
  return (
    <WideTable minWidth={KEY_WIDTH + jobs.length * 110}>
      <Table fz="sm" layout="fixed" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={KEY_WIDTH}>{t("compare.key")}</Table.Th>
            {jobs.map((job, at) => (
              <JobHeader key={job.id} job={job} at={at} ids={ids} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {states && (
            <Table.Tr>
              <Table.Td>{t("columns.state")}</Table.Td>
              {jobs.map((job) => (
                <Table.Td key={job.id}>
                  <StateBadge state={job.state} />
                </Table.Td>
              ))}
            </Table.Tr>
          )}
          {rows.map((row) => (
            <Table.Tr key={row.key} style={{ verticalAlign: "top" }}>
              <Table.Td className="sf-mono">
                <KeyText>{row.key}</KeyText>
              </Table.Td>
              {row.values.map((value, at) => (
                <Table.Td key={jobs[at]?.id} className="sf-mono" fw={row.differs ? 600 : undefined}>
                  {value === undefined ? "–" : valueText(value)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function JobHeader({ job, at, ids }: { job: JobDetail; at: number; ids: string[] }) {
  const { t } = useTranslation("jobs");
  const navigate = useNavigate();
  const rest = ids.filter((_, index) => index !== at);
  return (
    <Table.Th>
      <Group gap={6} wrap="nowrap">
        <span className="sf-dot" style={{ color: LINE_COLORS[at % LINE_COLORS.length] }} />
        <Text span size="sm" fw={600} truncate>
          <Link to="/jobs/$job" params={{ job: job.id }} search={{}} className="sf-link">
            {job.name}
          </Link>
        </Text>
        <CloseButton
          size="xs"
          aria-label={t("compare.remove", { name: job.name })}
          onClick={() =>
            void navigate({ to: "/compare", search: { jobs: rest.join(",") }, replace: true })
          }
        />
      </Group>
    </Table.Th>
  );
}
