import { describe, expect, it } from "vitest";
import { type Entry, entriesOf } from "../../method/parameters";
import type { Parameter, Preset } from "../../method/recipe";
import { isChanged, optionsOf, typeText, usual } from "./parameters";

function made(name: string, more: Partial<Parameter> = {}): Parameter {
  return {
    name,
    path: `algorithm.${name}`,
    type: "int",
    group: "run",
    description: { en: `about ${name}`, zh: "说明" },
    advice: null,
    default: 1,
    upstream_default: 1,
    why_default: null,
    choices: null,
    minimum: null,
    maximum: null,
    exclusive_minimum: false,
    unit: null,
    advanced: false,
    aliases: {},
    example: null,
    ...more,
  };
}

const PRESET: Preset = {
  name: "correction",
  group: "loss",
  description: { en: "", zh: "" },
  advice: null,
  options: { token: { description: { en: "", zh: "" }, values: {} } },
};

function entry(more: Partial<Parameter> = {}): Entry {
  return entriesOf([made("a", more)], [])[0] as Entry;
}

describe("usual", () => {
  it("shows what the sample sets, then what it suggests, then what was set, each once", () => {
    const entries = entriesOf([made("a"), made("b"), made("c"), made("d")], [PRESET]);
    const scaffold = { params: { b: 2 }, suggest: ["a", "gone"], files: [] };
    const found = usual(entries, scaffold, ["correction", "b"]);
    expect(found.map((one) => one.name)).toEqual(["b", "a", "correction"]);
  });
});

describe("optionsOf", () => {
  it("offers choices, true and false, and nothing for free texts", () => {
    expect(optionsOf(entry({ choices: ["x", 3], type: "str | int" }))).toEqual(["x", "3"]);
    expect(optionsOf(entry({ type: "bool | None" }))).toEqual(["true", "false", "null"]);
    expect(optionsOf(entry({ type: "float" }))).toEqual([]);
    expect(optionsOf(entriesOf([], [PRESET])[0] as Entry)).toEqual(["token"]);
  });
});

describe("typeText", () => {
  it("leaves out that nothing is allowed too", () => {
    expect(typeText(made("a", { type: "float | int | None" }))).toBe("float | int");
    expect(typeText(made("a", { type: "Literal['auto', 'fp8']" }))).toBe("str");
  });
});

describe("isChanged", () => {
  it("compares with the default as it is written", () => {
    expect(isChanged(entry(), undefined)).toBe(false);
    expect(isChanged(entry(), " 1 ")).toBe(false);
    expect(isChanged(entry(), "2")).toBe(true);
  });
});
