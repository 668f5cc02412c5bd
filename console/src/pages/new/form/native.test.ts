import { describe, expect, it } from "vitest";
import { withKey, yamlText } from "./native";

describe("withKey", () => {
  it("adds a line and keeps comments", () => {
    expect(withKey("# mine\noptim: sgd\n", "bf16", true)).toBe("# mine\noptim: sgd\nbf16: true\n");
    expect(withKey("", "a.b", null)).toBe("a.b: null\n");
  });
  it("leaves a key alone that stands there", () => {
    expect(withKey("a.b: 1\n", "a.b", 2)).toBe("a.b: 1\n");
    expect(withKey("axb: 1\n", "a.b", 2)).toBe("axb: 1\na.b: 2\n");
  });
});

describe("yamlText", () => {
  it.each([
    ["adamw_torch", "adamw_torch"],
    ["no", '"no"'],
    ["", '""'],
    ["a: b", '"a: b"'],
    [[1, "x"], '[1,"x"]'],
    [undefined, "null"],
  ])("%j is %s", (value, text) => {
    expect(yamlText(value)).toBe(text);
  });
});
