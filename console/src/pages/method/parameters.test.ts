import { describe, expect, it } from "vitest";
import { byGroup, differs, entriesOf, rangeText, shownEntries, valueText } from "./parameters";
import type { Parameter, Preset } from "./recipe";

function parameter(name: string, more: Partial<Parameter> = {}): Parameter {
  return {
    name, path: `policy.${name}`, type: "float", group: "optimizer",
    description: { en: "", zh: "" }, advice: null, default: null, upstream_default: null,
    why_default: null, choices: null, minimum: null, maximum: null, exclusive_minimum: false,
    unit: null, advanced: false, aliases: {}, example: null, ...more,
  }; // biome-ignore format: one line a thought
}

const RATE = parameter("learning_rate", { description: { en: "Step size", zh: "步长" } });
const BETA = parameter("adam_beta1", { advanced: true, path: "optim.betas.0" });
const BATCH = parameter("batch_size", { group: "batch" });
const PRESET: Preset = {
  name: "rollout_correction",
  group: "loss",
  description: { en: "Correction", zh: "修正" },
  advice: null,
  options: { tis: { description: { en: "", zh: "" }, values: { "algo.is_type": "tis" } } },
};
const ALL = entriesOf([RATE, BETA, BATCH], [PRESET]);
const names = (search: string, advanced = false, linked?: string) =>
  shownEntries(ALL, { search, advanced, linked }).map((entry) => entry.name);

describe("the parameters shown", () => {
  it("leave out advanced ones, unless asked for, searched or linked to", () => {
    expect(names("")).toEqual(["learning_rate", "batch_size", "rollout_correction"]);
    expect(names("", true)).toHaveLength(4);
    expect(names("", false, "adam_beta1")).toContain("adam_beta1");
    expect(names("beta")).toEqual(["adam_beta1"]);
  });

  it("are found by name with spaces, by path, by text of either language, by all words", () => {
    expect(names("learning rate")).toEqual(["learning_rate"]);
    expect(names("OPTIM.BETAS")).toEqual(["adam_beta1"]);
    expect(names("步长")).toEqual(["learning_rate"]);
    expect(names("step batch")).toEqual([]);
    expect(names("is_type")).toEqual(["rollout_correction"]);
  });

  it("stand in groups in the method's order", () => {
    expect(byGroup(ALL).map((one) => [one.group, one.entries.length])).toEqual([
      ["optimizer", 2],
      ["batch", 1],
      ["loss", 1],
    ]);
  });
});

describe("values", () => {
  it.each([
    [1e-6, "1e-6"],
    [5.5e-7, "5.5e-7"],
    [0.001, "0.001"],
    [3, "3"],
    [0, "0"],
    [true, "true"],
    [null, "null"],
    ["", '""'],
    ["dapo", "dapo"],
    [[0.9, 0.999], "[0.9,0.999]"],
  ])("%j reads %s", (value, text) => {
    expect(valueText(value)).toBe(text);
  });

  it("say their range", () => {
    expect(rangeText(parameter("a"))).toBe("");
    expect(rangeText(parameter("a", { minimum: 0, exclusive_minimum: true }))).toBe("> 0");
    expect(rangeText(parameter("a", { minimum: 1 }))).toBe("≥ 1");
    expect(rangeText(parameter("a", { minimum: 0, maximum: 1 }))).toBe("0 – 1");
    expect(rangeText(parameter("a", { minimum: 0, maximum: 1, exclusive_minimum: true }))).toBe(
      "> 0, ≤ 1",
    );
    expect(rangeText(parameter("a", { maximum: 2 }))).toBe("≤ 2");
  });

  it("say whether ours is upstream's", () => {
    expect(differs(parameter("a", { default: 2 }))).toBe(true);
    expect(differs(parameter("a", { default: [1, 2], upstream_default: [1, 2] }))).toBe(false);
  });
});
