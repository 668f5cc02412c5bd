/** An experiment while it is being filled in, as texts of fields; what the server is sent of it. */
import type { Schemas } from "@/api/client";
import type { Entry } from "../../method/parameters";
import { policyValues } from "./policies";
import { parseValue, textOf } from "./values";

export type Values = Schemas["ExperimentValues"];
export type Bundle = Schemas["ExperimentBundle"];
export type Split = "train" | "validation" | "test";
export const SPLITS: Split[] = ["train", "validation", "test"];

/** Rows of a split: the method's own `sample`, a registered dataset, or an uploaded file. */
export interface Rows {
  sample?: boolean;
  reference?: string;
  digest?: string;
  file?: string;
}

/** A file of the experiment that was edited (`text`) or uploaded (`digest`); null: left out. */
export type OwnFile = { text: string } | { digest: string; size: number } | null;

export interface Draft {
  method: string;
  base: string | null;
  name: string;
  description: string;
  tags: string[];
  model: string;
  teacher: string;
  reward: string;
  data: Partial<Record<Split, Rows>>;
  /** Columns as written: as the method reads them. */
  map: Record<string, string>;
  params: Record<string, string>;
  config: string;
  files: Record<string, OwnFile>;
  resources: string;
  /** As typed; the body has the values they stand for. */
  policies: Record<string, unknown>;
  /** `then`: what follows the job's success. */
  steps: unknown[];
  priority: number;
  sets: string[];
}

/** Files that other fields of the form write. */
const WRITTEN = ["experiment.yaml", "config.yaml", "recipe.lock.json", "README.md"];

/** The files of an experiment that a person writes: its code. */
export function codeFiles(bundle: Bundle): Schemas["ExperimentFile"][] {
  return bundle.files.filter((file) => !WRITTEN.includes(file.name));
}

/** What a form starts with: all that an experiment says, as texts. */
export function draftOf(bundle: Bundle, name: string): Draft {
  const { values } = bundle;
  const sample = values.base ? null : (values.data?.train ?? null);
  const data: Draft["data"] = {};
  for (const split of SPLITS) {
    const rows = values.data?.[split];
    if (!rows) continue;
    data[split] = split === "train" && sample ? { sample: true } : rowsOf(rows);
  }
  return {
    method: values.method,
    base: values.base ?? null,
    name,
    description: values.description ?? "",
    tags: values.tags ?? [],
    model: values.model ?? "",
    teacher: values.teacher ?? "",
    reward: values.reward ?? "",
    data,
    map: values.map ?? {},
    params: Object.fromEntries(
      Object.entries(values.params ?? {}).map(([key, value]) => [key, textOf(value)]),
    ),
    config: values.config ?? "",
    files: {},
    resources: values.resources ?? "local",
    policies: values.policies ?? {},
    steps: values.then ?? [],
    priority: values.priority ?? 0,
    sets: values.sets ?? [],
  };
}

function rowsOf(rows: Schemas["DataChoice"]): Rows {
  if (rows.reference) return { reference: rows.reference };
  return { digest: rows.digest ?? "", file: rows.file ?? "data.jsonl" };
}

const NAME_BYTES = 100;

/** A name for the experiment's folder: letters of any script, digits, `.`, `_` and `-`. */
export function folderName(name: string): string {
  const plain = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+|-+$/gu, "");
  let cut = "";
  let bytes = 0;
  for (const letter of plain) {
    bytes += new TextEncoder().encode(letter).length;
    if (bytes > NAME_BYTES) break;
    cut += letter;
  }
  return cut || "experiment";
}

/** The body of `POST /experiments`. `start` is the experiment the form began with. */
export function bodyOf(
  draft: Draft,
  entries: readonly Entry[],
  start: Bundle,
): Schemas["ExperimentForm"] {
  const sets = new Map(entries.map((entry) => [entry.name, entry]));
  const params = Object.fromEntries(
    Object.entries(draft.params).map(([name, text]) => {
      const entry = sets.get(name);
      return [name, parseValue(text, entry?.kind === "parameter" ? entry.one.type : "str")];
    }),
  );
  const data = dataOf(draft, start);
  return {
    name: folderName(draft.name),
    method: draft.method,
    ...(draft.base ? { base: draft.base } : {}),
    model: draft.model.trim(),
    teacher: draft.teacher.trim(),
    reward: draft.reward.trim(),
    ...(data ? { data } : {}),
    map: draft.map,
    params,
    config: draft.config,
    resources: draft.resources,
    policies: policyValues(draft.policies),
    // biome-ignore lint/suspicious/noThenProperty: the experiment's own key
    then: draft.steps,
    description: draft.description,
    tags: draft.tags,
    priority: draft.priority,
    sets: draft.sets,
    files: filesOf(draft),
  };
}

/** Rows by split; undefined: the method's sample and nothing else. */
function dataOf(draft: Draft, start: Bundle): Values["data"] | undefined {
  const given = Object.entries(draft.data) as [Split, Rows][];
  const only = given[0];
  if (given.length === 1 && only?.[0] === "train" && only[1].sample) return undefined;
  return Object.fromEntries(
    given.flatMap(([split, rows]) => {
      // What is still to be chosen is not there yet: the checks say that it is missing.
      if (!rows.sample) return rows.digest || rows.reference ? [[split, choiceOf(rows)]] : [];
      const sample = start.values.data?.train;
      return sample ? [[split, sample]] : [];
    }),
  ) as Values["data"];
}

function choiceOf(rows: Rows): Schemas["DataChoice"] {
  if (rows.digest) return { digest: rows.digest, file: rows.file ?? "data.jsonl" };
  return { reference: rows.reference ?? "", file: "data.jsonl" };
}

function filesOf(draft: Draft): Schemas["ExperimentForm"]["files"] {
  return Object.fromEntries(
    Object.entries(draft.files).map(([name, file]) => {
      if (file === null) return [name, null];
      return [name, "text" in file ? { text: file.text } : { digest: file.digest }];
    }),
  );
}

/** Whether the form says something else than what it began with. */
export function isTouched(draft: Draft, start: Draft): boolean {
  return JSON.stringify(draft) !== JSON.stringify(start);
}
