import { describe, expect, it } from "vitest";
import { cornerOf, curve, extent, layout, type Sizes } from "./graph";

const MATH = [
  { name: "base-score" },
  { name: "sft" },
  { name: "grpo", needs: ["sft"] },
  { name: "score", needs: ["grpo", "base-score"] },
];
const SIZES: Sizes = { width: 100, height: 40, rankGap: 50, laneGap: 10, down: false };

describe("layout", () => {
  it("puts a stage behind all it needs, branches beside each other", () => {
    const found = layout(MATH);
    const at = Object.fromEntries(found.nodes.map((one) => [one.name, [one.rank, one.lane]]));
    expect(at).toEqual({ "base-score": [0, 0], sft: [0, 1], grpo: [1, 0], score: [2, 0] });
    expect(found.ranks).toBe(3);
    expect(found.lanes).toBe(2);
    expect(found.edges).toContainEqual({ from: "base-score", to: "score" });
  });

  it("orders a rank by what it needs, so that lines don't cross", () => {
    const found = layout([
      { name: "a" },
      { name: "b" },
      { name: "of-b", needs: ["b"] },
      { name: "of-a", needs: ["a"] },
    ]);
    const second = found.nodes.filter((one) => one.rank === 1).map((one) => one.name);
    expect(second).toEqual(["of-a", "of-b"]);
  });

  it("ends with circles and names that don't exist", () => {
    const found = layout([
      { name: "a", needs: ["b", "gone"] },
      { name: "b", needs: ["a"] },
    ]);
    expect(found.nodes).toHaveLength(2);
    expect(found.edges).toHaveLength(2);
  });

  it("is empty for no stages", () => {
    expect(layout([])).toEqual({ nodes: [], edges: [], ranks: 0, lanes: 0 });
  });
});

describe("places", () => {
  const found = layout(MATH);

  it("go to the right, or down on a narrow page", () => {
    const sft = { name: "sft", rank: 0, lane: 1 };
    expect(cornerOf(sft, SIZES)).toEqual({ x: 0, y: 50 });
    expect(cornerOf(sft, { ...SIZES, down: true })).toEqual({ x: 110, y: 0 });
    expect(extent(found, SIZES)).toEqual({ width: 400, height: 90 });
    expect(extent(found, { ...SIZES, down: true })).toEqual({ width: 210, height: 220 });
  });

  it("are joined from edge to edge", () => {
    expect(curve({ x: 0, y: 0 }, { x: 150, y: 50 }, SIZES)).toBe("M100 20C125 20 125 70 150 70");
    const down = { ...SIZES, down: true };
    expect(curve({ x: 0, y: 0 }, { x: 0, y: 90 }, down)).toBe("M50 40C50 65 50 65 50 90");
  });
});
