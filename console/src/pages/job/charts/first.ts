/** What the tab of charts asks for first, so that it can be asked before the tab is drawn. */
import type { QueryClient } from "@tanstack/react-query";
import type { JobDetail, Schemas } from "@/api/client";
import { type CurveWindow, curvesQuery } from "@/api/metrics";
import { isLive } from "@/ui/StateBadge";
import { byPrefix, inOrder } from "./chartData";
import { type Arrangement, type ChartSettings, keptArrangement, parseSettings } from "./settings";

export type Series = Schemas["Series"];

const BATCH = 12; // charts asked for in one question
const BUCKETS = 1000;

export const notSystem = (name: string) => !name.startsWith("system/");

/** The part of the curves that is in view. */
export function windowOf({ x, lo, hi }: ChartSettings): CurveWindow {
  const range = lo !== undefined && hi !== undefined ? { lo, hi } : {};
  return { buckets: BUCKETS, x: x === "time" ? "time" : "step", ...range };
}

/** Charts of a group in the portions they are asked for. */
export function batchesOf(series: Series[]): Series[][] {
  return Array.from({ length: Math.ceil(series.length / BATCH) }, (_, at) =>
    series.slice(at * BATCH, (at + 1) * BATCH),
  );
}

export interface ShownGroup {
  /** What the names begin with; `null` for the charts that are pinned. */
  prefix: string | null;
  items: Series[];
}

/** The groups of charts in their order: pinned ones on top, then by prefix. */
export function groupsOf(series: Series[], filter: string, kept: Arrangement): ShownGroup[] {
  const shown = inOrder(
    series.filter((one) => one.name.toLowerCase().includes(filter.toLowerCase())),
    kept.order,
  );
  const pinned = shown.filter((one) => kept.pinned.includes(one.name));
  const rest = byPrefix(shown.filter((one) => !kept.pinned.includes(one.name)));
  return pinned.length > 0 ? [{ prefix: null, items: pinned }, ...rest] : rest;
}

/** Ask for the curves on top of the tab, as its first group will. */
export async function firstCurves(
  client: QueryClient,
  job: JobDetail,
  series: Series[],
  search: Record<string, string | undefined>,
): Promise<void> {
  const settings = parseSettings(search);
  const mine = series.filter((one) => notSystem(one.name));
  const [top] = groupsOf(mine, settings.filter, keptArrangement(job.method));
  const [batch] = batchesOf(top?.items ?? []);
  if (batch === undefined) return;
  const names = batch.map((one) => one.name);
  // Of a running job too: the tab asks again by itself for what has come meanwhile.
  await client.prefetchQuery({
    ...curvesQuery(job.id, names, windowOf(settings), isLive(job.state)),
    staleTime: 1000,
  });
}
