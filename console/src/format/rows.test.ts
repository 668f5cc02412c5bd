import { describe, expect, it } from "vitest";
import { bestShape, cellText, columnsOf, firstRows, mapped, missingOf } from "./rows";

describe("firstRows", () => {
  it("reads JSON lines and leaves out what was cut off or is no row", () => {
    const rows = firstRows('\uFEFF{"a": 1}\n\n[1]\n{"b": 2}\n{"c": ', 5);
    expect(rows).toEqual([{ a: 1 }, { b: 2 }]);
    expect(columnsOf(rows)).toEqual(["a", "b"]);
    expect(firstRows('{"a":1}\n{"a":2}', 1)).toHaveLength(1);
  });
});

describe("bestShape", () => {
  const pairs = [
    ["prompt", "chosen", "rejected"],
    ["chosen", "rejected"],
  ];
  it("takes the shape of which the smallest part is missing, then the nearest in size", () => {
    expect(bestShape(pairs, ["question", "chosen", "rejected"], {})).toBe(1);
    expect(bestShape(pairs, ["question", "chosen", "rejected"], { question: "prompt" })).toBe(0);
    expect(bestShape([["messages"], ["prompt", "completion"], ["text"]], ["q", "a"], {})).toBe(1);
    expect(bestShape([], ["x"], {})).toBe(0);
  });
  it("knows what is missing", () => {
    expect(missingOf(["prompt", "answer"], ["q", "answer"], {})).toEqual(["prompt"]);
    expect(missingOf(["prompt"], ["q"], { q: "prompt" })).toEqual([]);
  });
});

describe("mapped", () => {
  it("gives a wanted column one source, and a source one use", () => {
    expect(mapped({}, "prompt", "question")).toEqual({ question: "prompt" });
    expect(mapped({ question: "prompt" }, "prompt", "q2")).toEqual({ q2: "prompt" });
    expect(mapped({ question: "prompt" }, "answer", "question")).toEqual({ question: "answer" });
    expect(mapped({ question: "prompt" }, "prompt", "")).toEqual({});
    expect(mapped({ question: "prompt" }, "prompt", "prompt")).toEqual({});
  });
});

describe("cellText", () => {
  it("shows conversations as lines", () => {
    expect(cellText([{ role: "user", content: "hi" }])).toBe("user: hi");
    expect(cellText(3)).toBe("3");
    expect(cellText("<b>")).toBe("<b>");
  });
});
