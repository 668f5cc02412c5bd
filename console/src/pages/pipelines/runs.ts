/** What the lists of pipelines and sweeps show, and what their addresses say. */
import { RUN_STATES, type RunStateName } from "./queries";

export interface RunFilter {
  state?: RunStateName;
  search?: string;
  page: number;
}

/** Read an address; a state that does not exist and an odd page are left out. */
export function parseRuns(search: Record<string, string | undefined>): RunFilter {
  const page = Number(search.page);
  const filter: RunFilter = { page: Number.isInteger(page) && page > 0 ? page : 1 };
  const state = RUN_STATES.find((one) => one === search.state);
  if (state) filter.state = state;
  if (search.q) filter.search = search.q;
  return filter;
}

/** The address of a filter; what is as usual is left out. */
export function runsSearch(filter: RunFilter): Record<string, string> {
  const search: Record<string, string> = {};
  if (filter.state) search.state = filter.state;
  if (filter.search) search.q = filter.search;
  if (filter.page > 1) search.page = String(filter.page);
  return search;
}

/** Those of a state with a text in their name or id, as the server would choose them. */
export function matching<T extends { id: string; name: string; state: RunStateName }>(
  runs: T[],
  filter: RunFilter,
): T[] {
  const words = (filter.search ?? "").toLowerCase();
  return runs.filter(
    (one) =>
      (!filter.state || one.state === filter.state) &&
      `${one.name} ${one.id}`.toLowerCase().includes(words),
  );
}

export type RunVerb = "stop" | "resume";
export type RunKind = "pipeline" | "sweep";

const RESUMED: Record<RunKind, RunStateName[]> = {
  pipeline: ["failed", "stopped"],
  sweep: ["stopped"], // a trial that failed by itself is not tried again
};

/** What can be done to a run in a state; `null` for nothing. */
export function verbOf(kind: RunKind, state: RunStateName): RunVerb | null {
  if (state === "running") return "stop";
  return RESUMED[kind].includes(state) ? "resume" : null;
}

/** What does the same in a terminal. */
export function commandOf(kind: RunKind, verb: RunVerb | "show" | "best", id: string): string {
  return `sf ${kind} ${verb} ${id}`;
}
