/** Samples of a job: groups, pairs of two steps, texts of prompts. Pure, tested beside. */
import type { Schemas } from "@/api/client";

export type Sample = Schemas["Sample"];

/** What a sample's own keys may hold beside those the API names. */
export interface Extra {
  rewards?: Record<string, number | null>;
  group?: number | string;
  length?: number;
  truncated?: boolean;
  reference?: string;
}

export function extra(sample: Sample): Extra {
  return sample as unknown as Extra;
}

/** A prompt or completion as text; chat messages as `role: content` blocks. */
export function textOf(sample: Sample, which: "prompt" | "completion"): string {
  const plain = sample[which];
  if (typeof plain === "string") return plain;
  const value = (sample as Record<string, unknown>)[`${which}_value`];
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && value.every(isMessage)) {
    return value.map((one) => `${one.role}: ${contentOf(one.content)}`).join("\n\n");
  }
  return JSON.stringify(value, null, 2);
}

function isMessage(value: unknown): value is { role: string; content: unknown } {
  return typeof value === "object" && value !== null && "role" in value && "content" in value;
}

function contentOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

export interface Group {
  key: string;
  prompt: string;
  step: number | null;
  samples: Sample[];
  mean: number | null;
  deviation: number | null;
}

/** Completions of one prompt at one step, together; by `group` where samples have one. */
export function groups(samples: Sample[]): Group[] {
  const made = new Map<string, Sample[]>();
  for (const sample of samples) {
    const own = extra(sample).group;
    const which = own === undefined || own === null ? textOf(sample, "prompt") : `#${own}`;
    const key = `${sample.attempt} ${sample.step} ${which}`;
    const group = made.get(key);
    if (group) group.push(sample);
    else made.set(key, [sample]);
  }
  return [...made].map(([key, members]) => {
    const first = members[0] as Sample;
    return {
      key,
      prompt: textOf(first, "prompt"),
      step: first.step ?? null,
      samples: members.toSorted((a, b) => (b.reward ?? -Infinity) - (a.reward ?? -Infinity)),
      ...spreadOf(members),
    };
  });
}

/** Mean and population deviation of the rewards, as group-relative methods use them. */
function spreadOf(samples: Sample[]): { mean: number | null; deviation: number | null } {
  const rewards = samples
    .map((sample) => sample.reward)
    .filter((reward): reward is number => typeof reward === "number");
  if (rewards.length === 0) return { mean: null, deviation: null };
  const mean = rewards.reduce((sum, one) => sum + one, 0) / rewards.length;
  const square = rewards.reduce((sum, one) => sum + (one - mean) ** 2, 0) / rewards.length;
  return { mean, deviation: Math.sqrt(square) };
}

export interface Pair {
  prompt: string;
  left: Sample[];
  right: Sample[];
}

/** Samples of two steps on the same prompts; prompts of both steps first. */
export function pairs(left: Sample[], right: Sample[]): Pair[] {
  const made = new Map<string, Pair>();
  for (const [side, samples] of [
    ["left", left],
    ["right", right],
  ] as const) {
    for (const sample of samples) {
      const prompt = textOf(sample, "prompt");
      const pair = made.get(prompt) ?? { prompt, left: [], right: [] };
      pair[side].push(sample);
      made.set(prompt, pair);
    }
  }
  const both = (pair: Pair) => (pair.left.length > 0 && pair.right.length > 0 ? 0 : 1);
  return [...made.values()].toSorted((a, b) => both(a) - both(b));
}
