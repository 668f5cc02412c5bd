/** `policies` of experiment.yaml as a form shows them: when a job is ended, warned of, tried again. */
import { parseValue, textOf } from "./values";

export type PolicyKind = "switch" | "names" | "duration" | "size" | "count" | "factor";
export type PolicyGroup = "limits" | "training" | "machine";

export interface Policy {
  name: PolicyName;
  kind: PolicyKind;
  group: PolicyGroup;
  /** What holds when nothing is written, in YAML; `null`: never, or as the texts say. */
  usual: boolean | number | string | null;
}

// What `starforge.plan.Policies` has; a test of the server's holds the two together.
const KNOWN = [
  { name: "time_limit", kind: "duration", group: "limits", usual: null },
  { name: "budget", kind: "duration", group: "limits", usual: null },
  { name: "stalled", kind: "duration", group: "limits", usual: null },
  { name: "stop_grace", kind: "duration", group: "limits", usual: 30 },
  { name: "nan_loss", kind: "switch", group: "training", usual: true },
  { name: "nan_metrics", kind: "names", group: "training", usual: null },
  { name: "no_signal", kind: "count", group: "training", usual: 50 },
  { name: "kl_explosion", kind: "factor", group: "training", usual: 10 },
  { name: "length_explosion", kind: "factor", group: "training", usual: 4 },
  { name: "disk_full", kind: "switch", group: "machine", usual: true },
  { name: "disk_reserve", kind: "size", group: "machine", usual: null },
  { name: "retries", kind: "count", group: "machine", usual: 0 },
] as const;

export type PolicyName = (typeof KNOWN)[number]["name"];
export const POLICIES: readonly Policy[] = KNOWN;
export const GROUPS: readonly PolicyGroup[] = ["limits", "training", "machine"];

/** What one usually sets, at hand without opening a group. */
export const NEAR: readonly PolicyName[] = ["time_limit", "budget", "retries"];

type Written = Record<string, unknown>;

/** A policy as it stands in its field. */
export function policyText(value: unknown): string {
  return value === undefined || value === null ? "" : textOf(value);
}

/** The metrics named in `nan_metrics`; a single text counts as one name. */
export function policyNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return value === undefined || value === null || value === "" ? [] : [String(value)];
}

/** The policies with one changed; `undefined`, an empty text or list takes it back. */
export function withPolicy(written: Written, name: string, value: unknown): Written {
  const { [name]: _, ...rest } = written;
  const nothing =
    value === undefined ||
    (typeof value === "string" && value.trim() === "") ||
    (Array.isArray(value) && value.length === 0);
  return nothing ? rest : { ...rest, [name]: value };
}

/** Policies with the values that typed texts stand for; what is no number is left to the checks. */
export function policyValues(written: Written): Written {
  const kinds = new Map<string, PolicyKind>(POLICIES.map((one) => [one.name, one.kind]));
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => {
      const kind = kinds.get(name);
      if (typeof value !== "string" || !kind || kind === "names") return [name, value];
      return [name, parseValue(value, kind === "switch" ? "bool | str" : "float")];
    }),
  );
}

/** Names in `written` that are no policies. */
export function unknownPolicies(written: Written): string[] {
  return Object.keys(written).filter((name) => !POLICIES.some((one) => one.name === name));
}

/** Those among some that say something else than is usual. */
export function changedPolicies(written: Written, among: readonly Policy[]): Policy[] {
  const values = policyValues(written);
  return among.filter(({ name, usual }) => name in values && values[name] !== usual);
}
