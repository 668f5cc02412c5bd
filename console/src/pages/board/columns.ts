/** Columns of the board: which scores may be compared, which settings differ, which is best. */
import type { Schemas } from "@/api/client";

export type Score = Schemas["Score"];

export interface Difference {
  key: string;
  here: unknown;
  there: unknown;
}

/** Scores that may be compared: one benchmark, one measure, equal settings but the seed. */
export interface Column {
  key: string;
  benchmark: string;
  /** The metric, and in brackets the filter it was taken after. */
  measure: string;
  /** 1 for the settings used last; others of the same benchmark and measure count on. */
  number: number;
  settings: Record<string, unknown>;
  /** What differs from number 1. */
  differs: Difference[];
  higherIsBetter: boolean;
  /** By model. */
  cells: Map<string, Score>;
  /** The best value of several that are not all alike. */
  best: number | null;
}

export function settingsOf(score: Score): Record<string, unknown> {
  const { seed: _, ...rest } = score.settings ?? {};
  return rest;
}

function measureOf(score: Score): string {
  const filter = score.settings?.filter;
  return filter === undefined || filter === null || filter === "none"
    ? score.metric
    : `${score.metric} (${String(filter)})`;
}

/** What counts: the mean of several runs. */
export function figureOf(score: Score): number | null {
  return score.runs ? score.runs.mean : (score.value ?? null);
}

/** What it may be off by: of several runs their deviation, else the standard error. */
export function errorOf(score: Score): number | null {
  return score.runs ? score.runs.deviation : (score.stderr ?? null);
}

/** JSON with its keys in order: equal for equal settings. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const known = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${known.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** A short name for a text in an address (FNV-1a, 32 bits). */
function short(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}

function keyOf(score: Score): string {
  return `${score.benchmark}.${short(`${measureOf(score)} ${canonical(settingsOf(score))}`)}`;
}

/** The columns of some scores, by benchmark and measure; the settings used last come first. */
export function columnsOf(scores: readonly Score[]): Column[] {
  const made = new Map<string, Column>();
  const newest = scores.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  for (const score of newest) {
    const key = keyOf(score);
    const column = made.get(key) ?? {
      key,
      benchmark: score.benchmark,
      measure: measureOf(score),
      number: 1,
      settings: settingsOf(score),
      differs: [],
      higherIsBetter: score.higher_is_better,
      cells: new Map<string, Score>(),
      best: null,
    };
    made.set(key, column);
    if (!column.cells.has(score.model)) column.cells.set(score.model, score);
  }
  const name = (one: Column) => `${one.benchmark}\n${one.measure}`;
  const columns = [...made.values()].toSorted((a, b) => name(a).localeCompare(name(b)));
  const first = new Map<string, Column>();
  let count = 0;
  for (const column of columns) {
    const base = first.get(name(column)) ?? column;
    count = base === column ? 1 : count + 1;
    first.set(name(column), base);
    column.number = count;
    const found = base === column ? [] : differences(column.settings, base.settings);
    column.differs = found.toSorted((a, b) => rank(a) - rank(b));
    column.best = bestOf(column);
  }
  return columns;
}

/** Whether a setting has parts of its own. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What says most about how a score was taken, in the order it is told. */
const FIRST = ["harness", "pack", "few_shot", "limit", "temperature", "do_sample"];

function rank(difference: Difference): number {
  const place = FIRST.indexOf(difference.key.split(".").at(-1) ?? "");
  return place < 0 ? FIRST.length : place;
}

/** What differs by key, with a dot into settings that have parts: `decoding.temperature`. */
function differences(
  here: Record<string, unknown>,
  there: Record<string, unknown>,
  within = "",
): Difference[] {
  const keys = [...new Set([...Object.keys(here), ...Object.keys(there)])].sort();
  return keys.flatMap((key) => {
    const [mine, other] = [here[key] ?? null, there[key] ?? null];
    if (canonical(mine) === canonical(other)) return [];
    if (isObject(mine) && isObject(other)) return differences(mine, other, `${within}${key}.`);
    return [{ key: `${within}${key}`, here: mine, there: other }];
  });
}

function bestOf(column: Column): number | null {
  const values = [...column.cells.values()]
    .map(figureOf)
    .filter((value): value is number => value !== null);
  if (new Set(values).size < 2) return null;
  return column.higherIsBetter ? Math.max(...values) : Math.min(...values);
}

/** Two results of the same benchmark and settings, as a link to their comparison names them. */
export interface Pair {
  a: string;
  b: string;
  column: Column;
}

/** The results of two models on a benchmark that may be compared, the newest first. */
export function pairsOf(
  columns: readonly Column[],
  models: readonly string[],
  benchmark: string,
): Pair[] {
  const found = new Map<string, Pair>();
  for (const column of columns) {
    const [a, b] = models.map((model) => column.cells.get(model)?.job);
    // Measures of one job are columns of their own; their items are the same.
    if (column.benchmark === benchmark && a && b && a !== b && !found.has(`${a} ${b}`)) {
      found.set(`${a} ${b}`, { a, b, column });
    }
  }
  return [...found.values()].toSorted((a, b) => a.column.number - b.column.number);
}

/** A value of a setting on one line. */
export function settingText(value: unknown): string {
  return typeof value === "string" ? value : canonical(value ?? null);
}

const BRIEF = 3; // settings
const SHORT = 32; // characters of one

/** The first settings that differ, on one line: the last part of a key says which. */
export function briefly(differs: readonly Difference[], none: string): string {
  const said = differs.slice(0, BRIEF).map(({ key, here }) => {
    const text = here === null ? none : settingText(here);
    return `${key.split(".").at(-1)} ${text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text}`;
  });
  return said.join(", ") + (differs.length > BRIEF ? " …" : "");
}
