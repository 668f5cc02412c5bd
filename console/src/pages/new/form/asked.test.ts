import { describe, expect, it } from "vitest";
import { askedOf, firstDraft, mapOf, mapText } from "./asked";
import type { Bundle } from "./draft";

const START = {
  method: "trl/sft",
  values: { method: "trl/sft", name: "new" },
  files: [],
} as unknown as Bundle;

describe("askedOf", () => {
  it("has one address for the same wishes, and a job before a method", () => {
    expect(askedOf({ model: "a", method: "trl/sft", other: "x" }).address).toBe(
      "method=trl%2Fsft&model=a",
    );
    expect(askedOf({ from: "j1", method: "trl/sft" })).toEqual({ from: "j1", address: "from=j1" });
  });
});

describe("mapOf", () => {
  it("reads back any names of columns", () => {
    const map = { "a:b,c": "prompt", 问题: "answer" };
    expect(mapOf(mapText(map))).toEqual(map);
    expect(mapOf("broken,%zz:x")).toEqual({ "%zz": "x" });
  });
});

describe("firstDraft", () => {
  it("is named after its method or its job, with what the address says", () => {
    expect(firstDraft(START, askedOf({ method: "trl/sft" })).name).toBe("sft");
    const draft = firstDraft(
      START,
      askedOf({ dataset: "qa@2", model: "m", teacher: "t" }),
      "训练 一号",
    );
    expect(draft).toMatchObject({
      name: "训练 一号-2",
      model: "m",
      teacher: "t",
      data: { train: { reference: "dataset:qa@2" } },
    });
  });
});
