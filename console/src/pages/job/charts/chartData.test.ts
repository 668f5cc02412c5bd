import { describe, expect, it } from "vitest";
import {
  attemptSpans,
  byPrefix,
  type Curve,
  columns,
  inOrder,
  interpolate,
  moveTo,
  oddPoints,
  positions,
  smooth,
  toCsv,
} from "./chartData";

const curve = (step: number[], value: (number | null)[], more: Partial<Curve> = {}): Curve => ({
  step,
  value,
  attempt: step.map(() => 0),
  time: step.map((one) => 100 + one),
  ...more,
});
const plain = { x: "step", start: 0, smoothing: 0, logY: false } as const;

describe("smooth", () => {
  it("keeps a constant as it is from the first point on", () => {
    const smoothed = smooth([3, 3, 3], 0.9);
    for (const value of smoothed) expect(value).toBeCloseTo(3, 12);
  });
  it("leaves gaps and weighs the past", () => {
    expect(smooth([0, null, 1], 0.5)).toEqual([0, null, 2 / 3]);
  });
});

describe("columns", () => {
  it("joins lines of different steps", () => {
    const made = columns(
      [
        { key: "a", label: "a", curve: curve([1, 3], [10, 30]) },
        { key: "b", label: "b", curve: curve([2, 3], [5, 6]) },
      ],
      plain,
    );
    expect(made.x).toEqual([1, 2, 3]);
    expect(made.lines[0]?.value).toEqual([10, null, 30]);
    expect(made.lines[1]?.value).toEqual([null, 5, 6]);
  });
  it("lets the later attempt win a step that was run twice", () => {
    const twice = curve([1, 2, 2, 3], [1, 2, 9, 3], { attempt: [0, 0, 1, 1] });
    expect(columns([{ key: "a", label: "a", curve: twice }], plain).lines[0]?.value).toEqual([
      1, 9, 3,
    ]);
  });
  it("hides what a log axis can't show", () => {
    const made = columns([{ key: "a", label: "a", curve: curve([1, 2], [0, 2]) }], {
      ...plain,
      logY: true,
    });
    expect(made.lines[0]?.value).toEqual([null, 2]);
  });
  it("has a band only where points stand for several", () => {
    const band = { min: [0, 1], max: [2, 3] };
    const single = curve([1, 2], [1, 2], { ...band, count: [1, 1] });
    const several = curve([1, 2], [1, 2], { ...band, count: [1, 4] });
    expect(columns([{ key: "a", label: "a", curve: single }], plain).lines[0]?.low).toBeNull();
    expect(columns([{ key: "a", label: "a", curve: several }], plain).lines[0]?.high).toEqual([
      2, 3,
    ]);
  });
});

describe("axes", () => {
  it("counts time from the job's start and tokens from their own curve", () => {
    const loss = curve([1, 5], [1, 2]);
    expect(positions(loss, "time", 100)).toEqual([1, 5]);
    expect(positions(loss, "tokens", 0, curve([0, 10], [0, 1000]))).toEqual([100, 500]);
  });
  it("does not run past the ends of the tokens", () => {
    const tokens = curve([2, 4], [20, 40]);
    expect([interpolate(tokens, 1), interpolate(tokens, 3), interpolate(tokens, 9)]).toEqual([
      20, 30, 40,
    ]);
  });
});

describe("attempts and odd points", () => {
  it("shades only when there are several attempts", () => {
    expect(attemptSpans(curve([1, 2], [1, 1]), [1, 2])).toEqual([]);
    const two = curve([1, 2, 2, 4], [1, 1, 1, 1], { attempt: [0, 0, 1, 1] });
    expect(attemptSpans(two, two.step)).toEqual([
      { attempt: 0, from: 1, to: 2 },
      { attempt: 1, from: 2, to: 4 },
    ]);
  });
  it("says where which value is", () => {
    const odd = curve([1, 2], [1, null], { nonfinite: { "1": "nan" } });
    expect(oddPoints(odd, odd.step)).toEqual([{ x: 2, what: "nan" }]);
    expect(toCsv('a"b', odd)).toBe('step,time,attempt,"a""b"\n1,101,0,1\n2,102,0,nan\n');
  });
});

describe("groups and order", () => {
  const items = ["train/loss", "lr", "train/kl"].map((name) => ({ name }));
  it("groups by prefix in the order of appearance", () => {
    expect(byPrefix(items).map((group) => [group.prefix, group.items.length])).toEqual([
      ["train", 2],
      ["", 1],
    ]);
  });
  it("puts the kept order first and moves within it", () => {
    expect(inOrder(items, ["lr"]).map((item) => item.name)).toEqual([
      "lr",
      "train/loss",
      "train/kl",
    ]);
    expect(moveTo(["a", "b", "c"], "c", "a")).toEqual(["c", "a", "b"]);
    expect(moveTo(["a", "b", "c"], "a", "c")).toEqual(["b", "c", "a"]);
    expect(moveTo(["a"], "x", "a")).toEqual(["a"]);
  });
});
