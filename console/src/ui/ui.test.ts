import { describe, expect, it } from "vitest";
import { SseParser } from "@/api/sse";
import { sparkPath } from "./Sparkline";

describe("sparkPath", () => {
  it("spans the box and leaves gaps where no number is", () => {
    expect(sparkPath([0, 1], 10, 4)).toBe("M0.0 4.0L10.0 0.0");
    expect(sparkPath([0, null, 1, 2], 9, 2)).toBe("M0.0 2.0M6.0 1.0L9.0 0.0");
  });
  it("is empty for less than two numbers", () => {
    expect(sparkPath([1], 10, 4)).toBe("");
    expect(sparkPath([null, 3, null], 10, 4)).toBe("");
  });
});

describe("SseParser", () => {
  it("keeps a cut event until its end comes", () => {
    const parser = new SseParser();
    expect(parser.push(': ping\n\nid: 7\nevent: line\ndata: {"a"')).toEqual([]);
    expect(parser.push(":1}\n\n")).toEqual([{ event: "line", id: "7", data: { a: 1 } }]);
  });
});
