/** What the server says of one method, in the shapes of the catalog (`catalog/models.py`). */
import type { Schemas } from "@/api/client";

export interface Both {
  en: string;
  zh: string;
}

export type Need = "required" | "optional" | "none";

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
  aliases: Record<string, unknown>;
  example: unknown;
}

export interface Preset {
  name: string;
  group: string;
  description: Both;
  advice: Both | null;
  options: Record<string, { description: Both; values: Record<string, unknown> }>;
}

export interface Pin {
  path: string;
  reason: Both;
  value: unknown;
  keep: boolean;
}

export interface Metric {
  name: string;
  native: string[];
  description: Both;
  goal: "lower" | "higher" | "watch";
  primary: boolean;
  title: Both | null;
  unit: string | null;
}

export interface Recipe {
  name: string;
  framework: string;
  version: string;
  algorithm: string;
  title: Both;
  summary: Both;
  use_when: Both;
  avoid_when: Both;
  source: string;
  digest: string;
  place?: Schemas["MethodPlace"] | null;
  data: string;
  data_spec: {
    shapes: string[][];
    train: Need;
    validation: Need;
    test: Need;
    example: Record<string, unknown>[];
  };
  role_specs: { name: string; description: Both; pool: string; optional: boolean }[];
  model: Need;
  teacher: Need;
  reward: Need;
  same_as: string[];
  pins: Pin[];
  parameters: Parameter[];
  presets: Preset[];
  ignored: { path: string; note: Both; new: string | null }[];
  metrics: Metric[];
  checkpoint: { format: string; resumable: boolean } | null;
  stages: string[];
  minimum: { cpus: number; memory_gb: number; gpus: number; text: Both };
  links: { title: string; url: string }[];
}

/** The API's document leaves open what a recipe holds; the server sends all of it. */
export function recipeOf(detail: Schemas["MethodDetail"]): Recipe {
  return detail as unknown as Recipe;
}
