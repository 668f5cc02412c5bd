import { describe, expect, it } from "vitest";
import type { Schemas } from "@/api/client";
import type { Stage } from "../pipelines/queries";
import { gatesOf, opponentOf, scoreText } from "./stage";

function score(benchmark: string): Schemas["Score"] {
  return {
    model: "m", job: "j", benchmark, metric: "acc", value: 0.5, stderr: 0.0123, items: 10,
    higher_is_better: true, settings: {}, settings_digest: "d",
    created_at: "2026-01-01T00:00:00.000Z",
  } as Schemas["Score"]; // biome-ignore format: a list
}

function stage(name: string, more: Partial<Stage> = {}): Stage {
  return {
    name, kind: "benchmark", what: "gsm8k", method: "evalkit/benchmark", state: "succeeded",
    plan_digest: "d", job_id: `job-${name}`, attempt: 0, retries: 0, reused: false, ...more,
  } as Stage; // biome-ignore format: a list
}

describe("stages", () => {
  it("tell a score with its error", () => {
    expect(scoreText(score("gsm8k"))).toBe("0.5 ± 0.012 gsm8k.acc");
  });

  it("are compared with the first before them that scored on the same", () => {
    const base = stage("base", { scores: [score("gsm8k")] });
    const other = stage("other", { scores: [score("arc")] });
    const last = stage("last", { scores: [score("arc"), score("gsm8k")] });
    const all = [base, other, last];
    expect(opponentOf(last, all)).toEqual({ stage: "base", a: "job-base", b: "job-last" });
    expect(opponentOf(base, all)).toBeNull();
    expect(opponentOf(stage("none"), all)).toBeNull();
  });

  it("are not compared where a script reported the score: it has no items", () => {
    const own = { kind: "experiment", scores: [score("gsm8k")] } as const;
    const base = stage("base", { ...own, scores: [...own.scores] });
    const last = stage("last", { scores: [score("gsm8k")] });
    expect(opponentOf(last, [base, last])).toBeNull();
    expect(opponentOf({ ...base, name: "after" }, [last, { ...base, name: "after" }])).toBeNull();
  });

  it("show gates in their order, decided or not", () => {
    const met = { gate: "a.b >= 1", met: true, text: "met", value: 2, bound: 1, stderr: null };
    const found = gatesOf(stage("x", { gates: ["a.b >= 1", "a.c >= 2"], verdicts: [met] }));
    expect(found).toEqual([
      { gate: "a.b >= 1", verdict: met },
      { gate: "a.c >= 2", verdict: null },
    ]);
  });
});
