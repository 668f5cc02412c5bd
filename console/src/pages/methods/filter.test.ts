import { describe, expect, it } from "vitest";
import { byData, choices, filtered, type Method } from "./filter";

function method(name: string, data: unknown): Method {
  const text = { en: "", zh: "" };
  const [framework = "", algorithm = ""] = name.split("/");
  const more = { version: "1", summary: text, roles: [], same_as: [], source: "bundled" };
  return { name, framework, algorithm, data, ...more };
}

const ALL = [
  method("custom/custom", "none"),
  method("verl/grpo", "verifiable"),
  method("trl/grpo", "verifiable"),
  method("trl/sft", "instruction"),
  method("acme/new", "images"),
];

describe("the list of methods", () => {
  it("is grouped by data, in the order of learning, without data last", () => {
    expect(byData(ALL).map((one) => one.kind)).toEqual([
      "instruction",
      "verifiable",
      "images",
      "none",
    ]);
  });

  it("takes every filter at once", () => {
    const names = (found: Method[]) => found.map((one) => one.name);
    expect(names(filtered(ALL, { algorithm: "grpo" }))).toEqual(["verl/grpo", "trl/grpo"]);
    expect(names(filtered(ALL, { algorithm: "grpo", framework: "trl" }))).toEqual(["trl/grpo"]);
    expect(filtered(ALL, { framework: "trl", data: "preference" })).toEqual([]);
  });

  it("offers every value once", () => {
    expect(choices(ALL, "framework")).toEqual(["acme", "custom", "trl", "verl"]);
    expect(choices(ALL, "algorithm")).toEqual(["custom", "grpo", "new", "sft"]);
  });
});
