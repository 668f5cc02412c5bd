/** How many parts of a pipeline or sweep are in which state. */

/** States in the order in which bars show them: what succeeded first, what waits last. */
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

export interface Outcome {
  succeeded: number;
  /** How many there are or are planned. */
  all: number;
  /** All other states. */
  others: Count[];
  /** How many are planned and not there yet. */
  ahead: number;
}

/** How many succeeded, of how many, and what became of the others. */
export function outcomeOf(counts: Record<string, number> | undefined, planned = 0): Outcome {
  const found = countsOf(counts);
  const there = found.reduce((sum, one) => sum + one.count, 0);
  const all = Math.max(there, planned);
  return {
    succeeded: counts?.succeeded ?? 0,
    all,
    others: found.filter((one) => one.state !== "succeeded"),
    ahead: all - there,
  };
}
