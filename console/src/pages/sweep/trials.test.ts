import { describe, expect, it } from "vitest";
import type { Trial } from "../pipelines/queries";
import {
  axisOf, BY_NUMBER, bestSoFar, nearest, nextOrder, numberOf, parameterNames, parseOrder, pointsOf,
  rangeOf, shortened, sorted,
} from "./trials"; // biome-ignore format: a list

function trial(number: number, parameters: Record<string, string>, value: number | null): Trial {
  return { number, parameters, value, state: "succeeded", attempt: 0 } as Trial;
}

const TRIALS = [
  trial(0, { rate: "1e-5", kind: "b" }, 0.4),
  trial(1, { rate: "1e-3", kind: "a" }, 0.7),
  trial(2, { rate: "1e-4" }, null),
  trial(3, { rate: "1e-4", kind: "a" }, 0.6),
];

describe("axes", () => {
  it("tell numbers from words", () => {
    expect(numberOf("3e-4")).toBe(3e-4);
    expect(numberOf("cosine")).toBeNull();
    expect(numberOf(" ")).toBeNull();
    expect(numberOf("inf")).toBeNull();
  });

  it("are logarithmic where values are far apart and positive", () => {
    expect(axisOf(TRIALS, "rate")).toEqual({ name: "rate", log: true, words: null });
    const near = [trial(0, { beta: "0" }, 1), trial(1, { beta: "100" }, 1)];
    expect(axisOf(near, "beta").log).toBe(false);
    expect(axisOf(TRIALS, BY_NUMBER).log).toBe(false);
  });

  it("give words a place each", () => {
    expect(axisOf(TRIALS, "kind").words).toEqual(["a", "b"]);
    const points = pointsOf(TRIALS, axisOf(TRIALS, "kind"));
    expect(points.map((one) => [one.x, one.trial.number])).toEqual([[0, 1], [0, 3], [1, 0]]); // biome-ignore format: a list
  });
});

describe("points", () => {
  it("are the trials with a value, from left to right", () => {
    const points = pointsOf(TRIALS, axisOf(TRIALS, "rate"));
    expect(points.map((one) => one.trial.number)).toEqual([0, 3, 1]);
    expect(parameterNames(TRIALS)).toEqual(["rate", "kind"]);
  });

  it("keep negative numbers", () => {
    const below = [trial(0, { t: "-1" }, 2), trial(1, { t: "1" }, 3)];
    expect(pointsOf(below, axisOf(below, "t")).map((one) => one.x)).toEqual([-1, 1]);
  });

  it("have a best so far, which failed trials don't lift", () => {
    const failed = { ...trial(2, {}, 0.9), state: "failed" as const };
    const all = [trial(0, {}, 0.4), trial(1, {}, 0.7), failed, trial(3, {}, 0.5)];
    const points = pointsOf(all, axisOf(all, BY_NUMBER));
    expect(bestSoFar(points, "max")).toEqual([0.4, 0.7, 0.7, 0.7]);
    expect(bestSoFar(points, "min")).toEqual([0.4, 0.4, 0.4, 0.4]);
  });

  it("are found by where one points", () => {
    const points = pointsOf(TRIALS, axisOf(TRIALS, BY_NUMBER));
    const place = (point: { x: number }) => ({ left: point.x * 100, top: 0 });
    expect(nearest(points, place, { left: 110, top: 5 })?.trial.number).toBe(1);
    expect(nearest(points, place, { left: 50, top: 0 })).toBeNull();
  });
});

describe("the horizontal axis", () => {
  const axis = { name: "rate", log: false, words: null };

  it("leaves room on both sides, also around a single value", () => {
    expect(rangeOf(axis, 0, 100)).toEqual([-6, 106]);
    expect(rangeOf(axis, 5, 5)).toEqual([4.7, 5.3]);
    expect(rangeOf(axis, 0, 0)).toEqual([-0.06, 0.06]);
    const [low, high] = rangeOf({ ...axis, log: true }, 1e-5, 1e-3);
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan(1e-5);
    expect(high).toBeGreaterThan(1e-3);
  });

  it("has a place for every word and every one of a few numbers", () => {
    expect(rangeOf({ ...axis, words: ["a", "b", "c"] }, 0, 0)).toEqual([-0.5, 2.5]);
    expect(rangeOf({ ...axis, name: BY_NUMBER }, 0, 0)).toEqual([-0.5, 0.5]);
  });

  it("cuts long words", () => {
    expect(shortened("cosine")).toBe("cosine");
    expect(shortened("cosine_with_restarts_and_more")).toBe("cosine_with_resta…");
  });
});

describe("orders", () => {
  it("turn round with a second click", () => {
    expect(nextOrder(parseOrder(undefined), "value")).toBe("value");
    expect(nextOrder(parseOrder("value"), "value")).toBe("-value");
    expect(nextOrder(parseOrder("-value"), "value")).toBe("value");
  });

  it("sort numbers as numbers, and leave what has no value last", () => {
    const numbers = (order: string) => sorted(TRIALS, parseOrder(order)).map((one) => one.number);
    expect(numbers("p.rate")).toEqual([0, 2, 3, 1]);
    expect(numbers("-value")).toEqual([1, 3, 0, 2]);
    expect(numbers("value")).toEqual([0, 3, 1, 2]);
    expect(numbers("p.kind")).toEqual([1, 3, 0, 2]);
  });
});
