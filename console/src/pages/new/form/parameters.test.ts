import { describe, expect, it } from "vitest";
import { grouped, isChanged, type Parameter, rangeText, searched, usual } from "./parameters";

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
    ...more,
  };
}

describe("grouped", () => {
  it("keeps the known order, unknown groups last, advanced ones apart", () => {
    const all = [
      made("a", { group: "own" }),
      made("b", { group: "run", advanced: true }),
      made("c", { group: "duration" }),
      made("d", { group: "run" }),
    ];
    const found = grouped(all);
    expect(found.map((one) => one.name)).toEqual(["duration", "run", "own"]);
    expect(found[1]?.basic.map((one) => one.name)).toEqual(["d"]);
    expect(found[1]?.advanced.map((one) => one.name)).toEqual(["b"]);
  });
});

describe("usual", () => {
  it("follows the names given, each once, without unknown ones", () => {
    const all = [made("a"), made("b")];
    expect(usual(all, ["b", "gone", "a", "b"]).map((one) => one.name)).toEqual(["b", "a"]);
  });
});

describe("searched", () => {
  it("wants every word in name, path or description", () => {
    const all = [made("beta"), made("rate")];
    expect(searched(all, "algorithm bet")).toEqual([all[0]]);
    expect(searched(all, "说明")).toHaveLength(2);
    expect(searched(all, " ")).toEqual([]);
  });
});

describe("rangeText", () => {
  it.each([
    [{ minimum: 0, exclusive_minimum: true }, "> 0"],
    [{ minimum: 0, maximum: 1 }, "0 – 1"],
    [{ minimum: 0, maximum: 1, exclusive_minimum: true }, "> 0, ≤ 1"],
    [{ maximum: 5 }, "≤ 5"],
    [{}, ""],
  ])("%j is %s", (more, text) => {
    expect(rangeText(made("x", more))).toBe(text);
  });
});

describe("isChanged", () => {
  it("compares with the default as it is written", () => {
    expect(isChanged(made("a"), undefined)).toBe(false);
    expect(isChanged(made("a"), "1")).toBe(false);
    expect(isChanged(made("a"), "2")).toBe(true);
  });
});
