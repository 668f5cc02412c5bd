/** The board: which scores stand in one column, their order, what an address asks for. */
import type { Schemas } from "@/api/client";

export type Score = Schemas["Score"];
export type ExternalScore = Schemas["ExternalScore"];

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

export const KINDS = ["job", "registered", "builtin", "folder", "hub"] as const;
export type Kind = (typeof KINDS)[number];

/** What a model's name on the board is the name of. */
export function kindOf(model: string): Kind {
  if (model.startsWith("job:")) return "job";
  if (model.startsWith("model:")) return "registered";
  if (model.startsWith("starforge:")) return "builtin";
  return model.startsWith("/") ? "folder" : "hub";
}

/** The job a model is named after: `job:NAME@step-4` is one of NAME's. */
export function jobOf(model: string): string | null {
  return model.startsWith("job:") ? (model.slice(4).split("@")[0] ?? null) : null;
}

/** Folders by their last part where that is clear. */
export function labelsOf(models: readonly string[]): Map<string, string> {
  const last = models.map((model) => model.replace(/\/+$/, "").split("/").at(-1) ?? model);
  return new Map(
    models.map((model, at) => {
      const name = last[at] ?? model;
      const clear = last.filter((one) => one === name).length === 1;
      return [model, kindOf(model) === "folder" && clear ? name : model];
    }),
  );
}

export interface View {
  search: string;
  packs: string[];
  /** A kind of model, or `external` for nothing but scores of others. */
  kind: Kind | "external" | null;
  /** `model`, or a column's key; `-` first: the other way. Empty: by the first column. */
  sort: string;
  /** The models chosen to be compared, A first. */
  chosen: string[];
}

export function parseView(search: Record<string, string | undefined>): View {
  const kinds: readonly string[] = [...KINDS, "external"];
  const kind = search.kind !== undefined && kinds.includes(search.kind) ? search.kind : null;
  return {
    search: search.q ?? "",
    packs: (search.pack ?? "").split(",").filter(Boolean),
    kind: kind as View["kind"],
    sort: search.sort ?? "",
    chosen: [search.a, search.b].filter((one): one is string => Boolean(one)),
  };
}

/** The address of a view; what is as usual is left out. */
export function viewSearch(view: View): Record<string, string> {
  const [a, b] = view.chosen;
  const all = {
    q: view.search,
    pack: view.packs.join(","),
    kind: view.kind ?? "",
    sort: view.sort,
    a: a ?? "",
    b: b ?? "",
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

export function isFiltered(view: View): boolean {
  return view.search !== "" || view.packs.length > 0 || view.kind !== null;
}

/** Choose a model or leave it; of more than two, A stays. */
export function choose(chosen: readonly string[], model: string): string[] {
  if (chosen.includes(model)) return chosen.filter((one) => one !== model);
  return chosen.length < 2 ? [...chosen, model] : [chosen[0] ?? model, model];
}

function wanted(view: View, one: { model: string; benchmark: string }): boolean {
  const words = view.search.toLowerCase();
  return (
    one.model.toLowerCase().includes(words) &&
    (view.packs.length === 0 || view.packs.includes(one.benchmark))
  );
}

export interface Table {
  columns: Column[];
  models: string[];
}

/** What of the board a view shows. */
export function tableOf(scores: readonly Score[], view: View): Table {
  const found = scores.filter(
    (one) => wanted(view, one) && (view.kind === null || view.kind === kindOf(one.model)),
  );
  const columns = columnsOf(found);
  const models = [...new Set(found.map((one) => one.model))];
  return { columns, models: ranked(models, columns, view.sort) };
}

/** Scores of others that a view shows. */
export function externalOf(scores: readonly ExternalScore[], view: View): ExternalScore[] {
  return view.kind === null || view.kind === "external"
    ? scores.filter((one) => wanted(view, one))
    : [];
}

/** Models in the order an address asks for; those without a value come last. */
export function ranked(models: readonly string[], columns: Column[], sort: string): string[] {
  const names = models.toSorted((a, b) => a.localeCompare(b));
  const down = sort.startsWith("-");
  const by = down ? sort.slice(1) : sort;
  if (by === "model") return down ? names.toReversed() : names;
  const column = columns.find((one) => one.key === by);
  const order = column ? [column] : columns;
  return names.toSorted((a, b) => {
    const [left, right] = [placeOf(a, order), placeOf(b, order)];
    if (left.column !== right.column) return left.column - right.column;
    return (down ? -1 : 1) * (left.badness - right.badness);
  });
}

/** The first column that has a model, and how far from good it is there. */
function placeOf(model: string, columns: Column[]): { column: number; badness: number } {
  for (const [at, column] of columns.entries()) {
    const score = column.cells.get(model);
    const value = score ? figureOf(score) : null;
    if (value !== null) return { column: at, badness: column.higherIsBetter ? -value : value };
  }
  return { column: columns.length, badness: 0 };
}

/** What a click on a heading asks for: the best first, then the worst, then as usual. */
export function nextSort(current: string, key: string): string {
  if (current === key) return `-${key}`;
  return current === `-${key}` ? "" : key;
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

/** The address of the comparison of the chosen models: of the column in order, if there is one. */
export function comparisonSearch(columns: readonly Column[], view: View): Record<string, string> {
  const [a = "", b = ""] = view.chosen;
  const by = columns.find((one) => one.key === view.sort.replace(/^-/, ""));
  const [left, right] = [by?.cells.get(a)?.job, by?.cells.get(b)?.job];
  if (by && left && right) return { a, b, pack: by.benchmark, pair: `${left},${right}` };
  const [pack] = view.packs;
  return view.packs.length === 1 && pack ? { a, b, pack } : { a, b };
}

/** What is known of a score's items in the training data; `null` where that is no question. */
export function seenOf(score: Score): "clean" | "seen" | "unknown" | null {
  const found = score.contamination;
  if (found) return found.seen > 0 ? "seen" : "clean";
  return kindOf(score.model) === "job" ? "unknown" : null;
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
