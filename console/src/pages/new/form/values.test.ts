import { describe, expect, it } from "vitest";
import { isSwitch, kindsOf, parseValue, textOf } from "./values";

describe("kindsOf", () => {
  it("cuts unions outside of brackets", () => {
    expect(kindsOf("list[str | dict[str, Any]] | None")).toEqual([
      "list[str | dict[str, Any]]",
      "None",
    ]);
  });
});

describe("isSwitch", () => {
  it("is true only where nothing but true and false fits", () => {
    expect(isSwitch("bool | None")).toBe(true);
    expect(isSwitch("bool | str")).toBe(false);
  });
});

describe("parseValue", () => {
  it.each([
    ["5e-7", "float", 5e-7],
    [" 12 ", "int", 12],
    ["-1", "int | None", -1],
    ["null", "int | None", null],
    ["null", "str", "null"],
    ["true", "bool", true],
    ["auto", "bool | str", "auto"],
    ["3", "str", "3"],
    ["a, b", "list[str] | None", ["a", "b"]],
    ['["a"]', "list[str]", ["a"]],
    ["0.9, 0.95", "tuple[float, float]", [0.9, 0.95]],
    ['{"a": 1}', "dict[str, Any] | None", { a: 1 }],
    ["0.5", "str | float", 0.5],
    ["0.5", "Any | None", 0.5],
  ])("reads %s as %s", (text, type, value) => {
    expect(parseValue(text, type)).toEqual(value);
  });
  it("leaves what does not fit a text, for the server to judge", () => {
    expect(parseValue("abc", "int")).toBe("abc");
    expect(parseValue("1,5", "float")).toBe("1,5");
    expect(parseValue("{broken", "dict | None")).toBe("{broken");
    expect(parseValue("1e400x", "float")).toBe("1e400x");
  });
  it("comes back to what textOf wrote", () => {
    for (const [value, type] of [
      [true, "bool"],
      [null, "float | None"],
      [[1, 2], "list"],
      [1e-6, "float"],
      ["adamw", "str"],
    ] as const) {
      expect(parseValue(textOf(value), type)).toEqual(value);
    }
  });
});
