import { describe, expect, it } from "vitest";
import { nextName } from "./names";
import { stepsOf, writtenSteps } from "./steps";

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

describe("nextName", () => {
  it.each([
    ["sft", "sft-2"],
    ["sft-9", "sft-10"],
    ["训练 一号", "训练 一号-2"],
  ])("%s → %s", (name, next) => {
    expect(nextName(name)).toBe(next);
  });
});
