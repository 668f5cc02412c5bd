/** Two results side by side: what an address asks for, and what the figures say in words. */
import type { Schemas } from "@/api/client";

export type Comparison = Schemas["Comparison"];
export type Item = Schemas["ItemAnswers"];

export const OUTCOMES = ["both", "only_a", "only_b", "neither"] as const;
export const SHOWN = ["flipped", ...OUTCOMES, "all"] as const;
export type Shown = (typeof SHOWN)[number];

export interface Wanted {
  a: string;
  b: string;
  /** The benchmark looked at; empty: the first. */
  pack: string;
  /** The jobs of A and B whose results are compared, where it isn't left to the server. */
  pair: [string, string] | null;
  /** Whether results with other settings are compared, too. */
  anyway: boolean;
  show: Shown;
  search: string;
  page: number;
}

export function parseWanted(search: Record<string, string | undefined>): Wanted {
  const page = search.page ?? "";
  const [left, right] = (search.pair ?? "").split(",");
  return {
    a: search.a ?? "",
    b: search.b ?? "",
    pack: search.pack ?? "",
    pair: search.pack && left && right ? [left, right] : null,
    anyway: search.anyway === "1",
    show: SHOWN.find((one) => one === search.show) ?? "flipped",
    search: search.q ?? "",
    page: /^\d{1,6}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

/** The address of what is wanted; what is as usual is left out. */
export function wantedSearch(wanted: Wanted): Record<string, string> {
  const all = {
    a: wanted.a,
    b: wanted.b,
    pack: wanted.pack,
    pair: wanted.pair?.join(",") ?? "",
    anyway: wanted.anyway ? "1" : "",
    show: wanted.show === "flipped" ? "" : wanted.show,
    q: wanted.search,
    page: wanted.page === 1 ? "" : String(wanted.page),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

export type Verdict = "one" | "chance" | "a" | "b";

/** Whether the difference is more than chance: the interval leaves out zero, and p is small. */
export function verdictOf(of: Comparison): Verdict {
  const { low, high, p_value: p } = of;
  if (low === null || low === undefined || high === null || high === undefined) return "one";
  if (low <= 0 && high >= 0) return "chance";
  if (p !== null && p !== undefined && p > 1 - of.level) return "chance";
  return of.difference > 0 === of.higher_is_better ? "b" : "a";
}

/** A number that says which way it goes. */
export function signed(text: string, value: number): string {
  return value > 0 ? `+${text}` : text;
}

export interface Picture {
  zero: number;
  low: number;
  high: number;
  point: number;
}

/** Where zero, the interval and the difference lie on a line from 0 to 1, with some air. */
export function pictureOf(of: Comparison): Picture | null {
  if (typeof of.low !== "number" || typeof of.high !== "number") return null;
  const [from, to] = [Math.min(0, of.low), Math.max(0, of.high)];
  const air = (to - from || 1) * 0.08;
  const at = (value: number) => (value - from + air) / (to - from + 2 * air);
  return { zero: at(0), low: at(of.low), high: at(of.high), point: at(of.difference) };
}

/** An item's score where every item is right or wrong. */
export function isRight(score: number, higherIsBetter: boolean): boolean {
  return score === (higherIsBetter ? 1 : 0);
}

/** What the filter left of an answer, where that is not all of it. */
export function leftOf(answer: Item["a"]): string | null {
  const { completion, extracted } = answer;
  if (extracted === null || extracted === undefined) return null;
  return extracted === (completion ?? "") ? null : extracted;
}
