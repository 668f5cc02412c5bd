/** How many parts of a pipeline or sweep are in which state. */

/** States in the order in which bars show them: what is over first, what waits last. */
const ORDER = [
  "succeeded", "running", "failed", "gate_failed", "pruned", "stopped", "skipped", "waiting",
]; // biome-ignore format: a list

export interface Count {
  state: string;
  count: number;
}

/** The states there are, in the order of {@link ORDER}; unknown ones last. */
export function countsOf(counts: Record<string, number> | undefined): Count[] {
  const place = (state: string) => {
    const at = ORDER.indexOf(state);
    return at < 0 ? ORDER.length : at;
  };
  return Object.entries(counts ?? {})
    .filter(([, count]) => count > 0)
    .map(([state, count]) => ({ state, count }))
    .sort((a, b) => place(a.state) - place(b.state) || a.state.localeCompare(b.state));
}

/** How many are over, of how many there are or are `planned`. */
export function doneOf(
  counts: Record<string, number> | undefined,
  planned = 0,
): { done: number; all: number } {
  let done = 0;
  let all = 0;
  for (const { state, count } of countsOf(counts)) {
    all += count;
    if (state !== "waiting" && state !== "running") done += count;
  }
  return { done, all: Math.max(all, planned) };
}
