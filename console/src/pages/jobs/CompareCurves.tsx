import { Group, Select, Text, Title } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { curvesQuery } from "@/api/metrics";
import { seriesQuery } from "@/api/queries";
import { formatNumber } from "@/format/number";
import { isLive } from "@/ui/StateBadge";
import { LINE_COLORS } from "../job/charts/ink";
import { Plot } from "../job/charts/Plot";
import { onOneAxis } from "./compare";

const BUCKETS = 600;
type Range = { lo: number; hi: number };

/** One metric of all jobs in one picture; dragging zooms, a double click goes back. */
export function CompareCurves({ jobs }: { jobs: JobDetail[] }) {
  const { t } = useTranslation("jobs");
  const search: Record<string, string> = useSearch({ strict: false });
  const navigate = useNavigate();
  const [zoom, setZoom] = useState<Range | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const series = useQueries({ queries: jobs.map((job) => seriesQuery(job.id)) });
  const names = [
    ...new Set(series.flatMap((one) => (one.data ?? []).map((known) => known.name))),
  ].filter((name) => !name.startsWith("system/"));
  const first = jobs
    .flatMap((job) => Object.keys(job.headline ?? {}))
    .find((name) => names.includes(name));
  const metric = names.includes(search.metric ?? "")
    ? (search.metric ?? "")
    : (first ?? names[0] ?? "");
  const found = useQueries({
    queries: jobs.map((job) =>
      curvesQuery(job.id, metric ? [metric] : [], { buckets: BUCKETS, ...zoom }, isLive(job.state)),
    ),
  });
  const curves = found.map((one) => one.data?.[metric]);
  // A curve is a new object only when it was fetched anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the curves, one by one
  const data = useMemo(() => onOneAxis(curves), [...padded(curves)]);
  if (series.every((one) => one.data) && names.length === 0)
    return <Text c="dimmed">{t("compare.noCurves")}</Text>;
  if (!metric) return null;
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{t("compare.curves")}</Title>
        <Select
          aria-label={t("compare.metric")}
          w={260}
          searchable
          allowDeselect={false}
          data={names.sort((a, b) => a.localeCompare(b))}
          value={metric}
          onChange={(next) =>
            void navigate({
              to: "/compare",
              replace: true,
              search: { jobs: search.jobs ?? "", metric: next ?? "" },
            })
          }
        />
      </Group>
      <Group gap="md" mb={4}>
        {jobs.map((job, at) => (
          <Group key={job.id} gap={6} wrap="nowrap">
            <span className="sf-dot" style={{ color: LINE_COLORS[at % LINE_COLORS.length] }} />
            <Text size="xs">
              {job.name}
              {hovered !== null && ` ${formatNumber(data.lines[at]?.value[hovered])}`}
            </Text>
          </Group>
        ))}
        {hovered !== null && (
          <Text size="xs" c="dimmed">
            {formatNumber(data.x[hovered])}
          </Text>
        )}
      </Group>
      <div className="sf-panel">
        <Plot
          data={data}
          labels={jobs.map((job) => job.name)}
          x="step"
          logX={false}
          logY={false}
          height={300}
          spans={[]}
          odd={[]}
          onHover={setHovered}
          onZoom={setZoom}
          label={metric}
        />
      </div>
    </section>
  );
}

/** Hooks want as many dependencies each time: at most twelve jobs are compared. */
function padded<T>(values: (T | undefined)[]): (T | undefined)[] {
  return Array.from({ length: 12 }, (_, at) => values[at]);
}
