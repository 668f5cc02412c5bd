/** Settings of a method as a form shows them: first what one usually sets, then groups. */
import type { Entry } from "../../method/parameters";
import type { Parameter, Recipe } from "../../method/recipe";
import { isSwitch, kindsOf, textOf } from "./values";

/** What the recipe's sample sets, and what it suggests to look at. */
export interface Scaffold {
  params: Record<string, unknown>;
  suggest: string[];
  files: string[];
}

export function scaffoldOf(recipe: Recipe): Scaffold {
  return (recipe as Recipe & { scaffold: Scaffold }).scaffold;
}

/** What stands open at once: what is set, what the sample sets, what it suggests. */
export function usual(
  entries: readonly Entry[],
  scaffold: Scaffold,
  set: readonly string[],
): Entry[] {
  const names = new Set([...Object.keys(scaffold.params), ...scaffold.suggest, ...set]);
  const place = new Map([...names].map((name, index) => [name, index]));
  return entries
    .filter((entry) => place.has(entry.name))
    .sort((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0));
}

/** The type in words of its language: `int`, `list[str]`; choices say it better. */
export function typeText(one: Parameter): string {
  if (one.choices) return "";
  return kindsOf(one.type)
    .filter((kind) => kind !== "None")
    .map((kind) => (kind.startsWith("Literal") ? "str" : kind))
    .join(" | ");
}

/** What can be picked for a setting; nothing where any text can stand. */
export function optionsOf(entry: Entry): string[] {
  if (entry.kind === "preset") return Object.keys(entry.one.options);
  const { choices, type } = entry.one;
  const kinds = kindsOf(type);
  const nothing = kinds.includes("None") ? ["null"] : [];
  if (choices && choices.length > 0) return [...choices.map(textOf), ...nothing];
  if (isSwitch(type)) return ["true", "false", ...nothing];
  return [];
}

/** Whether a typed text says something else than the default. */
export function isChanged(entry: Entry, text: string | undefined): boolean {
  if (text === undefined) return false;
  return entry.kind === "preset" || text.trim() !== textOf(entry.one.default);
}
