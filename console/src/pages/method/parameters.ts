/** Parameters of a method: which are shown, in which groups, and how their values read. */
import type { Parameter, Preset } from "./recipe";

interface Wanted {
  search: string;
  /** Advanced ones too; a search looks at them anyway. */
  advanced: boolean;
  /** The one an address names is always shown. */
  linked?: string | undefined;
}

/** A setting a person can look up: one parameter, or a preset that sets several keys. */
export type Entry =
  | { kind: "parameter"; name: string; group: string; one: Parameter }
  | { kind: "preset"; name: string; group: string; one: Preset };

export function entriesOf(parameters: readonly Parameter[], presets: readonly Preset[]): Entry[] {
  return [
    ...parameters.map((one) => ({ kind: "parameter" as const, ...keysOf(one), one })),
    ...presets.map((one) => ({ kind: "preset" as const, ...keysOf(one), one })),
  ];
}

function keysOf({ name, group }: { name: string; group: string }) {
  return { name, group };
}

/** Whether every word stands in the name, upstream's path, or a text, of either language. */
export function matches(entry: Entry, search: string): boolean {
  const { name, one } = entry;
  const texts = [one.description, one.advice].flatMap((text) => (text ? [text.en, text.zh] : []));
  const keys =
    entry.kind === "parameter"
      ? [entry.one.path, ...Object.keys(entry.one.aliases ?? {})]
      : Object.values(entry.one.options).flatMap((option) => Object.keys(option.values));
  const all = [name, name.replaceAll("_", " "), ...keys, ...texts].join("\n").toLowerCase();
  return words(search).every((word) => all.includes(word));
}

function words(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean);
}

export function shownEntries(entries: readonly Entry[], wanted: Wanted): Entry[] {
  const searching = words(wanted.search).length > 0;
  return entries.filter((entry) => {
    if (searching) return matches(entry, wanted.search);
    if (entry.name === wanted.linked || wanted.advanced) return true;
    return entry.kind === "preset" || !entry.one.advanced;
  });
}

/** Groups in the order in which the method names them. */
export function byGroup(entries: readonly Entry[]): { group: string; entries: Entry[] }[] {
  const groups = [...new Set(entries.map((entry) => entry.group))];
  return groups.map((group) => ({
    group,
    entries: entries.filter((entry) => entry.group === group),
  }));
}

/** A value as one would write it in a YAML file. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return value === "" ? '""' : value;
  if (typeof value === "number") return numberText(value);
  return JSON.stringify(value);
}

/** `1e-6` rather than `0.000001`. */
function numberText(value: number): string {
  const plain = String(value);
  if (value === 0 || Math.abs(value) >= 1e-3) return plain;
  const short = value.toExponential();
  return short.length < plain.length ? short : plain;
}

/** The range a number must be in: `> 0`, `0 – 1`, `> 0, ≤ 1`; empty when any will do. */
export function rangeText(one: Parameter): string {
  const { minimum: low, maximum: high, exclusive_minimum: above } = one;
  if (low !== null && high !== null && !above) return `${valueText(low)} – ${valueText(high)}`;
  const parts = [];
  if (low !== null) parts.push(`${above ? ">" : "≥"} ${valueText(low)}`);
  if (high !== null) parts.push(`≤ ${valueText(high)}`);
  return parts.join(", ");
}

/** Whether we start from another value than upstream does. */
export function differs(one: Parameter): boolean {
  return JSON.stringify(one.default ?? null) !== JSON.stringify(one.upstream_default ?? null);
}
