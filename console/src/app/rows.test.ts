import { describe, expect, it } from "vitest";
import { nextRow } from "./rows";

describe("nextRow", () => {
  const ids = ["a", "b", "c"];

  it("starts at the first row, also when the marked one is gone", () => {
    expect(nextRow(ids, undefined, 1)).toBe("a");
    expect(nextRow(ids, undefined, -1)).toBe("a");
    expect(nextRow(ids, "gone", 1)).toBe("a");
  });

  it("moves by one and stays at the ends", () => {
    expect(nextRow(ids, "a", 1)).toBe("b");
    expect(nextRow(ids, "c", 1)).toBe("c");
    expect(nextRow(ids, "a", -1)).toBe("a");
  });

  it("has nowhere to go in an empty list", () => {
    expect(nextRow([], undefined, 1)).toBeUndefined();
  });
});
