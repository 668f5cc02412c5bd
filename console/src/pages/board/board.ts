/** The board: kinds of models, their order, what an address asks for. */
import type { Schemas } from "@/api/client";
import { type Column, columnsOf, figureOf, type Score } from "./columns";

export type ExternalScore = Schemas["ExternalScore"];

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

/** Jobs as they are called, folders by their last part; where that is not clear, with the rest. */
export function labelsOf(
  models: readonly string[],
  scores: readonly Pick<Score, "model" | "model_name">[],
): Map<string, string> {
  const called = new Map(scores.map((one) => [one.model, one.model_name]));
  const short = models.map((model) => shortOf(model, called.get(model)));
  return new Map(
    models.map((model, at) => {
      const name = short[at] ?? model;
      const clear = short.filter((one) => one === name).length === 1;
      const more = kindOf(model) === "job" && name !== model ? `${name} (${jobOf(model)})` : model;
      return [model, clear ? name : more];
    }),
  );
}

function shortOf(model: string, called: string | null | undefined): string {
  if (called) return called + model.slice(`job:${jobOf(model)}`.length); // with its `@step-4`
  if (kindOf(model) !== "folder") return model;
  return model.replace(/\/+$/, "").split("/").at(-1) ?? model;
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

interface Named {
  model: string;
  model_name?: string | null;
  benchmark: string;
}

function wanted(view: View, one: Named): boolean {
  const words = view.search.toLowerCase();
  return (
    `${one.model_name ?? ""}\n${one.model}`.toLowerCase().includes(words) &&
    (view.packs.length === 0 || view.packs.includes(one.benchmark))
  );
}

export interface Table {
  columns: Column[];
  models: string[];
  /** What each model is called. */
  labels: Map<string, string>;
}

/** What of the board a view shows. */
export function tableOf(scores: readonly Score[], view: View): Table {
  const found = scores.filter(
    (one) => wanted(view, one) && (view.kind === null || view.kind === kindOf(one.model)),
  );
  const columns = columnsOf(found);
  const models = [...new Set(found.map((one) => one.model))];
  const labels = labelsOf(models, found);
  return { columns, models: ranked(models, columns, view.sort, labels), labels };
}

/** Scores of others that a view shows. */
export function externalOf(scores: readonly ExternalScore[], view: View): ExternalScore[] {
  return view.kind === null || view.kind === "external"
    ? scores.filter((one) => wanted(view, one))
    : [];
}

/** Models in the order an address asks for; those without a value come last. */
function ranked(
  models: readonly string[],
  columns: Column[],
  sort: string,
  labels: ReadonlyMap<string, string>,
): string[] {
  const names = models.toSorted((a, b) => (labels.get(a) ?? a).localeCompare(labels.get(b) ?? b));
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
