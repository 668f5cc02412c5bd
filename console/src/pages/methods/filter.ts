/** The list of methods: what the address asks for, choices, groups by the data they need. */
import type { Schemas } from "@/api/client";

export type Method = Schemas["MethodSummary"];

export const FILTERS = ["data", "framework", "algorithm"] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filters = Partial<Record<FilterName, string>>;

/** Kinds of data, in the order of the list; others follow by name. */
const ORDER = ["instruction", "preference", "binary", "verifiable", "prompts"];

/** The kind of data a method reads, `none` for one that reads none. */
export function kindOf(method: Method): string {
  return typeof method.data === "string" && method.data ? method.data : "none";
}

function filterValue(method: Method, filter: FilterName): string {
  if (filter === "data") return kindOf(method);
  return filter === "framework" ? method.framework : method.algorithm;
}

export function filtered(methods: readonly Method[], filters: Filters): Method[] {
  return methods.filter((one) =>
    FILTERS.every((name) => !filters[name] || filters[name] === filterValue(one, name)),
  );
}

/** What a filter can be set to, whatever it is set to now. */
export function choices(methods: readonly Method[], filter: FilterName): string[] {
  const all = [...new Set(methods.map((one) => filterValue(one, filter)))].sort();
  return filter === "data" ? all.sort((a, b) => rank(a) - rank(b)) : all;
}

/** Methods by kind of data; what needs none comes last. */
export function byData(methods: readonly Method[]): { kind: string; methods: Method[] }[] {
  const kinds = choices(methods, "data");
  return kinds.map((kind) => ({ kind, methods: methods.filter((one) => kindOf(one) === kind) }));
}

function rank(kind: string): number {
  if (kind === "none") return ORDER.length + 1;
  const place = ORDER.indexOf(kind);
  return place < 0 ? ORDER.length : place;
}
