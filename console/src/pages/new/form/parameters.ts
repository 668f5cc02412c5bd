/** The parameters of a method as a form shows them: first what one usually sets, then groups. */
import { kindsOf, textOf } from "./values";

export interface Both {
  en: string;
  zh: string;
}

/** A parameter as `GET /methods/{name}` has it. */
export interface Parameter {
  name: string;
  path: string;
  type: string;
  group: string;
  description: Both;
  advice: Both | null;
  default: unknown;
  upstream_default: unknown;
  why_default: Both | null;
  choices: unknown[] | null;
  minimum: number | null;
  maximum: number | null;
  exclusive_minimum: boolean;
  unit: string | null;
  advanced: boolean;
}

export interface Group {
  name: string;
  basic: Parameter[];
  advanced: Parameter[];
}

/** In the order of a method's page; groups it does not know come last. */
export const GROUPS = [
  "duration", "batch", "optimizer", "schedule", "loss", "rollout", "data", "lora", "parallelism",
  "memory", "precision", "validation", "saving", "logging", "run",
]; // biome-ignore format: a list

/** What the recipe sets or suggests, in its order: shown without opening anything. */
export function usual(all: readonly Parameter[], named: readonly string[]): Parameter[] {
  const wanted = [...new Set(named)];
  return wanted
    .map((name) => all.find((one) => one.name === name))
    .filter((one): one is Parameter => one !== undefined);
}

export function grouped(all: readonly Parameter[]): Group[] {
  const names = [...new Set(all.map((one) => one.group))];
  const place = (name: string) => (GROUPS.indexOf(name) + GROUPS.length + 1) % (GROUPS.length + 1);
  names.sort((a, b) => place(a) - place(b) || a.localeCompare(b));
  return names.map((name) => {
    const members = all.filter((one) => one.group === name);
    return {
      name,
      basic: members.filter((one) => !one.advanced),
      advanced: members.filter((one) => one.advanced),
    };
  });
}

/** Parameters in whose name, path or description every word stands. */
export function searched(all: readonly Parameter[], search: string): Parameter[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return all.filter((one) => {
    const text = [one.name, one.path, one.description.en, one.description.zh].join(" ");
    return words.every((word) => text.toLowerCase().includes(word));
  });
}

/** The range of a number: `> 0`, `1 – 10`, `≥ 1`; nothing when it has no bounds. */
export function rangeText(one: Parameter): string {
  const { minimum, maximum } = one;
  if (minimum !== null && maximum !== null) {
    return one.exclusive_minimum ? `> ${minimum}, ≤ ${maximum}` : `${minimum} – ${maximum}`;
  }
  if (minimum !== null) return `${one.exclusive_minimum ? ">" : "≥"} ${minimum}`;
  return maximum === null ? "" : `≤ ${maximum}`;
}

/** The type in words of its language: `int`, `float`, `list`; choices say it better. */
export function typeText(one: Parameter): string {
  if (one.choices) return "";
  return kindsOf(one.type)
    .filter((kind) => kind !== "None")
    .map((kind) => (kind.startsWith("Literal") ? "str" : kind))
    .join(" | ");
}

/** Whether a typed text says something else than the default. */
export function isChanged(one: Parameter, text: string | undefined): boolean {
  return text !== undefined && text.trim() !== textOf(one.default);
}
