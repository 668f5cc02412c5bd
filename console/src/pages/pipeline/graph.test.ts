import { describe, expect, it } from "vitest";
import { draw, ranksOf, type Sizes } from "./graph";

const WIDE: Sizes = { width: 100, height: 40, rankGap: 20, laneGap: 10, down: false };
const DOWN: Sizes = { ...WIDE, down: true };

const BRANCHES = [
  { name: "base" },
  { name: "sft" },
  { name: "grpo", needs: ["sft"] },
  { name: "score", needs: ["grpo", "base"] },
];

describe("ranks", () => {
  it("count the longest way to a stage", () => {
    expect(Object.fromEntries(ranksOf(BRANCHES))).toEqual({ base: 0, sft: 0, grpo: 1, score: 2 });
  });

  it("come to an end with circles and unknown names", () => {
    const odd = [
      { name: "a", needs: ["b", "gone"] },
      { name: "b", needs: ["a"] },
      { name: "self", needs: ["self"] },
    ];
    expect(ranksOf(odd).get("self")).toBe(0);
    expect(draw(odd, WIDE).edges.map((one) => `${one.from} ${one.to}`)).toEqual(["b a"]);
  });
});

describe("a drawing", () => {
  const boxes = (sizes: Sizes) => Object.fromEntries(draw(BRANCHES, sizes).corners);

  it("has ranks side by side, stages of one below each other", () => {
    expect(boxes(WIDE).base).toEqual({ x: 0, y: 0 });
    expect(boxes(WIDE).sft).toEqual({ x: 0, y: 50 });
    expect(boxes(WIDE).score?.x).toBe(240);
  });

  it("leads lines that pass a rank beside its boxes", () => {
    const { corners, edges } = draw(BRANCHES, WIDE);
    // The line from base passes above grpo, for base stands above sft.
    expect(corners.get("grpo")).toEqual({ x: 120, y: 50 });
    expect(corners.get("score")).toEqual({ x: 240, y: 25 });
    const long = edges.find((one) => one.from === "base");
    expect(long?.path).toBe("M100 20C110 20 110 20 120 20L220 20C230 20 230 45 240 45");
  });

  it("is turned for a narrow window", () => {
    expect(boxes(DOWN).sft).toEqual({ x: 110, y: 0 });
    expect(boxes(DOWN).score?.y).toBe(120);
    const { edges } = draw(BRANCHES, DOWN);
    expect(edges.find((one) => one.from === "grpo")?.path).toMatch(/^M\d+ 100C/);
  });

  it("is as large as what it holds", () => {
    expect(draw(BRANCHES, WIDE)).toMatchObject({ width: 340, height: 90 });
    expect(draw([], WIDE)).toMatchObject({ width: 0, height: 0, edges: [] });
    const one = draw([{ name: "a" }], WIDE);
    expect(one).toMatchObject({ width: 100, height: 40 });
  });

  it("keeps branches in the order of what they come from", () => {
    const crossed = [
      { name: "a" },
      { name: "b" },
      { name: "of-b", needs: ["b"] },
      { name: "of-a", needs: ["a"] },
    ];
    const { corners } = draw(crossed, WIDE);
    expect(corners.get("of-a")?.y).toBe(0);
    expect(corners.get("of-b")?.y).toBe(50);
  });
});
