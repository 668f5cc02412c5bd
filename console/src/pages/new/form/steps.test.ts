import { describe, expect, it } from "vitest";
import { nextName } from "./names";
import { restOf, restText, stepsOf, writtenSteps } from "./steps";

describe("steps", () => {
  it("keep what a form has no field for", () => {
    const written = ["gsm8k", { export: "adapter" }, "export", { benchmark: "math", limit: 5 }];
    const steps = stepsOf(written);
    expect(steps.benchmarks).toEqual(["gsm8k"]);
    expect(writtenSteps({ ...steps, exported: false })).toEqual([
      "gsm8k",
      { export: "adapter" },
      { benchmark: "math", limit: 5 },
    ]);
    expect(writtenSteps(steps)[0]).toBe("export");
  });
});

describe("steps with settings", () => {
  it.each([
    ["", []],
    ['{"benchmark": "basics", "limit": 20}', [{ benchmark: "basics", limit: 20 }]],
    ['{"export": "adapter"}\n\n{"benchmark": "b"}', [{ export: "adapter" }, { benchmark: "b" }]],
    ['[{"export": "adapter"}]', [{ export: "adapter" }]],
    ['{\n  "benchmark": "b"\n}', [{ benchmark: "b" }]],
  ])("are read: %j", (text, steps) => {
    expect(restOf(text)).toEqual(steps);
    expect(restOf(restText(steps))).toEqual(steps);
  });

  it("that can't be read yet are kept as typed, and are no steps", () => {
    const half = '{"benchmark": "basi';
    expect(restOf(half)).toEqual([[half]]);
    expect(restText(restOf(half))).toBe(half);
    expect(stepsOf(restOf(half))).toEqual({ exported: false, benchmarks: [], rest: [[half]] });
  });
});

describe("nextName", () => {
  it.each([
    ["sft", "sft-2"],
    ["sft-9", "sft-10"],
    ["训练 一号", "训练 一号-2"],
  ])("%s → %s", (name, next) => {
    expect(nextName(name)).toBe(next);
  });
});
