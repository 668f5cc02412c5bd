/** Which jobs the table shows, as its address says it; the columns; views kept by name. */
import type { Job } from "@/api/client";

export const STATES: Job["state"][] = [
  "queued", "starting", "running", "stopping", "succeeded", "failed", "stopped", "unreachable",
]; // biome-ignore format: a list

export const COLUMNS = [
  "state", "name", "method", "model", "data", "progress", "metric", "owner", "profile",
  "created", "duration",
] as const; // biome-ignore format: a list
export type Column = (typeof COLUMNS)[number];

/** Columns that are always there. */
export const FIXED: Column[] = ["state", "name"];

/** What the server sorts by, per column. */
export const SORTS: Partial<Record<Column, string>> = {
  state: "state",
  name: "name",
  method: "method",
  created: "created_at",
};

export interface View {
  state: string[];
  method: string[];
  tag?: string;
  model?: string;
  owner?: string;
  search?: string;
  sort: string;
}

export const DEFAULT_SORT = "-created_at";
const SINGLE = ["tag", "model", "owner"] as const;

function several(text: string | undefined): string[] {
  return (text ?? "").split(",").filter(Boolean);
}

/** Read an address; states that don't exist are left out. */
export function parseView(search: Record<string, string | undefined>): View {
  const view: View = {
    state: several(search.state).filter((one) => (STATES as string[]).includes(one)),
    method: several(search.method),
    sort: search.sort || DEFAULT_SORT,
  };
  for (const name of SINGLE) if (search[name]) view[name] = search[name];
  if (search.q) view.search = search.q;
  return view;
}

/** The address of a view; what is as usual is left out. */
export function viewSearch(view: View): Record<string, string> {
  const search: Record<string, string> = {};
  if (view.state.length) search.state = view.state.join(",");
  if (view.method.length) search.method = view.method.join(",");
  for (const name of SINGLE) if (view[name]) search[name] = view[name];
  if (view.search) search.q = view.search;
  if (view.sort !== DEFAULT_SORT) search.sort = view.sort;
  return search;
}

/** Which jobs a view asks the server for, without their order. */
export function filterOf({ state, method, search, tag, model, owner }: View) {
  return {
    ...(state.length ? { state } : {}),
    ...(method.length ? { method } : {}),
    ...(search ? { search } : {}),
    ...(tag ? { tag } : {}),
    ...(model ? { model } : {}),
    ...(owner ? { owner } : {}),
  };
}

export function isFiltered(view: View): boolean {
  return Object.keys(viewSearch({ ...view, sort: DEFAULT_SORT })).length > 0;
}

/** The next order after a click on a column: down, up, down. */
export function nextSort(current: string, column: Column): string {
  const by = SORTS[column];
  if (by === undefined) return current;
  return current === `-${by}` ? by : `-${by}`;
}

const BY_METRIC = "headline:";

/** The headline metric that jobs are sorted by, if they are. */
export function sortedMetric(sort: string): { name: string; down: boolean } | null {
  const down = sort.startsWith("-");
  const by = down ? sort.slice(1) : sort;
  const name = by.startsWith(BY_METRIC) ? by.slice(BY_METRIC.length) : "";
  return name ? { name, down } : null;
}

export function metricSort(name: string, down: boolean): string {
  return `${down ? "-" : ""}${BY_METRIC}${name}`;
}

const MOST_METRICS = 12;

/** Headline metrics of `jobs`, the most frequent first; the one sorted by is always there. */
export function metricNames(jobs: Iterable<Job>, sort: string): string[] {
  const counts = new Map<string, number>();
  for (const job of jobs) {
    for (const name of Object.keys(job.headline ?? {})) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const names = [...counts].sort(([a, n], [b, m]) => m - n || a.localeCompare(b));
  const most = names.slice(0, MOST_METRICS).map(([name]) => name);
  const current = sortedMetric(sort)?.name;
  return current && !most.includes(current) ? [current, ...most] : most;
}

/** The headline value a row shows: that of the metric sorted by, else the first. */
export function shownMetric(job: Job, sort: string): [string, number | null] | null {
  const all = Object.entries(job.headline ?? {});
  const wanted = sortedMetric(sort)?.name;
  return all.find(([name]) => name === wanted) ?? all[0] ?? null;
}

export interface SavedView {
  name: string;
  search: Record<string, string>;
  columns: Column[];
}

/** Columns as kept, in the table's order; unknown names are left out. */
export function someColumns(kept: unknown): Column[] {
  const wanted = Array.isArray(kept) ? kept : COLUMNS;
  return COLUMNS.filter((column) => FIXED.includes(column) || wanted.includes(column));
}

const WIDE = 1500; // px of a window in which all columns have room
const SPARE: Column[] = ["owner", "profile"];

/** The columns somebody starts with. */
export function usualColumns(width: number): Column[] {
  return COLUMNS.filter((column) => width >= WIDE || !SPARE.includes(column));
}

/** Selected ids after a click on `id`; with `from` everything between them too. */
export function selectRange(
  selected: ReadonlySet<string>,
  order: string[],
  id: string,
  from: string | null,
): Set<string> {
  const next = new Set(selected);
  const start = from === null ? -1 : order.indexOf(from);
  const end = order.indexOf(id);
  if (start >= 0 && end >= 0) {
    for (const one of order.slice(Math.min(start, end), Math.max(start, end) + 1)) next.add(one);
  } else if (!next.delete(id)) next.add(id);
  return next;
}
