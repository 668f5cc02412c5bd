import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { curvesQuery } from "@/api/metrics";
import { seriesQuery } from "@/api/queries";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { isLive } from "@/ui/StateBadge";
import { ChartGroup, type GroupShared } from "./ChartGroup";
import { ChartsToolbar } from "./ChartsToolbar";
import { type Curve, interpolate, type XKind } from "./chartData";
import { groupsOf, notSystem, type ShownGroup } from "./first";
import { useArrangement, useChartSettings } from "./settings";

interface Props {
  job: JobDetail;
  /** Which metrics this tab is about. */
  only?: (name: string) => boolean;
}

/** Names under which frameworks count the tokens seen so far. */
const TOKENS = ["train/tokens", "train/num_tokens", "train/num_input_tokens_seen", "num_tokens"];

/** All curves of a job, grouped by prefix; pinned ones on top. */
export function ChartsTab({ job, only = notSystem }: Props) {
  const { t } = useTranslation("charts");
  const live = isLive(job.state);
  const series = useQuery({ ...seriesQuery(job.id), refetchInterval: live ? 5000 : false });
  const [given, change] = useChartSettings();
  // What a machine did has no steps: it was looked at every few seconds.
  const settings = useMemo(
    () => (only === notSystem ? given : { ...given, x: "time" as const }),
    [given, only],
  );
  const { arrangement, arrange } = useArrangement(only === notSystem ? job.method : "system");
  const mine = useMemo(
    () => (series.data ?? []).filter((one) => only(one.name)),
    [series.data, only],
  );
  const counter = TOKENS.find((name) => mine.some((one) => one.name === name));
  const tokens = useQuery({
    ...curvesQuery(job.id, counter ? [counter] : [], { buckets: 1000 }, live),
    enabled: counter !== undefined && settings.x === "tokens",
  }).data?.[counter ?? ""];

  if (series.error) return <Problem error={series.error} onRetry={() => void series.refetch()} />;
  if (series.isPending) return <Loading />;
  if (mine.length === 0) {
    return <Empty title={t("empty")} text={live ? t("emptyLive") : t("emptyEnded")} />;
  }
  const axes = only === notSystem ? axesOf(counter) : [];
  const start = new Date(job.started_at ?? job.created_at).getTime() / 1000;
  const groups = groupsOf(mine, settings.filter, arrangement);
  const shared: GroupShared = {
    job: job.id,
    live,
    start,
    settings,
    arrangement,
    arrange,
    onZoom: (range) => change(range ? serverRange(range, settings.x, start, tokens) : NO_ZOOM),
    ...(tokens ? { tokens } : {}),
  };
  return (
    <Stack gap="md">
      <ChartsToolbar settings={settings} change={change} axes={axes} />
      {groups.length === 0 && <Text c="dimmed">{t("noMatch")}</Text>}
      <Groups groups={groups} shared={shared} pinnedTitle={t("pinned")} />
    </Stack>
  );
}

/** What the horizontal axis can count: tokens only where the job counts them. */
function axesOf(counter: string | undefined): XKind[] {
  return counter ? ["step", "time", "tokens"] : ["step", "time"];
}

const NO_ZOOM = { lo: undefined as never, hi: undefined as never };

interface GroupsProps {
  groups: ShownGroup[];
  shared: GroupShared;
  pinnedTitle: string;
}

function Groups({ groups, shared, pinnedTitle }: GroupsProps) {
  return groups.map(({ prefix, items }) => (
    <ChartGroup
      key={prefix ?? "pinned charts"}
      {...shared}
      title={prefix ?? pinnedTitle}
      series={items}
    />
  ));
}

/** A range on the axis as the server counts it: steps, or Unix seconds. */
function serverRange(
  range: { lo: number; hi: number },
  x: "step" | "time" | "tokens",
  start: number,
  tokens: Curve | undefined,
): { lo: number; hi: number } {
  if (x === "time") return { lo: range.lo + start, hi: range.hi + start };
  if (x === "tokens" && tokens) {
    const back: Curve = {
      ...tokens,
      step: tokens.value.map((value) => value ?? 0),
      value: tokens.step,
    };
    return { lo: interpolate(back, range.lo), hi: interpolate(back, range.hi) };
  }
  return range;
}
