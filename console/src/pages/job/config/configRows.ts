/** A job's config as rows: what it is, what upstream's default was, what another job has. */

export interface Difference {
  path: string;
  value: unknown;
  default: unknown;
  source: string;
  parameter?: string | null;
}

export interface Plan {
  config?: Record<string, unknown>;
  parameters?: Record<string, unknown>;
  differs?: Difference[];
}

export interface ConfigRow {
  key: string;
  /** `undefined`: not set. */
  value: unknown;
  /** Of rows that differ from upstream. */
  default?: unknown;
  source?: string;
  parameter?: string | null;
  theirs?: unknown;
}

/** Nested values as `a.b.c` paths; lists stay whole. */
export function flat(value: unknown, prefix = ""): Map<string, unknown> {
  const rows = new Map<string, unknown>();
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0 && prefix) rows.set(prefix, value);
    for (const [name, inner] of entries) {
      for (const [path, leaf] of flat(inner, prefix ? `${prefix}.${name}` : name)) {
        rows.set(path, leaf);
      }
    }
  } else if (prefix) {
    rows.set(prefix, value);
  }
  return rows;
}

/** Every key of the framework's config, with default and source where it was changed. */
export function fullRows(plan: Plan): ConfigRow[] {
  const changed = new Map((plan.differs ?? []).map((one) => [one.path, one]));
  return [...flat(plan.config ?? {})].sort(byKey).map(([key, value]) => {
    const one = changed.get(key);
    if (!one) return { key, value };
    return {
      key,
      value,
      default: one.default,
      source: one.source,
      parameter: one.parameter ?? null,
    };
  });
}

/** The keys that differ from upstream's defaults. */
export function changedRows(plan: Plan): ConfigRow[] {
  return (plan.differs ?? [])
    .map((one) => ({
      key: one.path,
      value: one.value,
      default: one.default,
      source: one.source,
      parameter: one.parameter ?? null,
    }))
    .sort((a, b) => a.key.localeCompare(b.key));
}

export function parameterRows(plan: Plan): ConfigRow[] {
  return [...flat(plan.parameters ?? {})].sort(byKey).map(([key, value]) => ({ key, value }));
}

/** Where two values trees differ, key by key. */
export function differenceRows(ours: unknown, theirs: unknown): ConfigRow[] {
  const mine = flat(ours);
  const other = flat(theirs);
  const keys = [...new Set([...mine.keys(), ...other.keys()])].sort((a, b) => a.localeCompare(b));
  return keys
    .filter((key) => valueText(mine.get(key)) !== valueText(other.get(key)))
    .map((key) => ({ key, value: mine.get(key), theirs: other.get(key) }));
}

export function matches(row: ConfigRow, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  if (!wanted) return true;
  return `${row.key} ${row.parameter ?? ""} ${valueText(row.value)}`.toLowerCase().includes(wanted);
}

/** A value as YAML's flow style would have it; `undefined` (not set) as nothing. */
export function valueText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function byKey(a: [string, unknown], b: [string, unknown]): number {
  return a[0].localeCompare(b[0]);
}
