/** Which field of the form a finding is about. */
import type { Finding } from "@/api/client";
import { type Draft, SPLITS } from "./draft";
import { POLICIES } from "./policies";

const WHOLE = ["model", "teacher", "reward", "resources", "description", "priority"];
const TREES = ["then", "tags"];

/** The id of a field: `params.NAME`, `policies.NAME`, `config`, `data.train`…; null: of none. */
export function fieldOf(finding: Finding, draft: Draft): string | null {
  const file = finding.file ?? "";
  const key = finding.key ?? "";
  if (file === "config.yaml") return "config";
  const split = SPLITS.find((one) => isRowsOf(draft, one, file));
  if (split) return `data.${split}`;
  if (file.startsWith("data/")) return "data.train";
  if (file !== "" && file !== "experiment.yaml") return file.endsWith(".json") ? null : "files";
  const [head = "", second = ""] = key.split(".");
  if (head === "params") return second ? `params.${key.slice("params.".length)}` : "params";
  if (head === "policies") {
    return POLICIES.some((one) => one.name === second) ? `policies.${second}` : "policies";
  }
  if (head === "data") return second ? `data.${second}` : "data.train";
  if (WHOLE.includes(head) || TREES.includes(head)) return head;
  return null;
}

function isRowsOf(draft: Draft, split: string, file: string): boolean {
  const rows = draft.data[split as (typeof SPLITS)[number]];
  if (!rows || file === "") return false;
  if (rows.reference === file) return true;
  const stem = (rows.file ?? "").replace(/\.[^.]*$/, "");
  return stem !== "" && file === `data/${stem}.jsonl`;
}

/** Findings by field, errors first; those of no field under the empty text. */
export function byField(findings: readonly Finding[], draft: Draft): Map<string, Finding[]> {
  const found = new Map<string, Finding[]>();
  for (const finding of sorted(findings)) {
    const field = fieldOf(finding, draft) ?? "";
    found.set(field, [...(found.get(field) ?? []), finding]);
  }
  return found;
}

const ORDER = { error: 0, warning: 1, info: 2 };

export function sorted(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}

/** The id of a field's element: what a finding scrolls to. */
export function fieldId(field: string): string {
  return `field-${field}`;
}

const TAKES_CURSOR = "input:not([type=hidden],[type=file],:disabled),textarea:not(:disabled)";

/** Bring a field into view and put the cursor into it; false while it is still hidden. */
export function showField(field: string): boolean {
  const element = document.getElementById(fieldId(field));
  if (!element) return false;
  element.scrollIntoView({ block: "center" });
  const input = element.querySelector<HTMLElement>(TAKES_CURSOR);
  input?.focus({ preventScroll: true });
  return input ? document.activeElement === input : true;
}
