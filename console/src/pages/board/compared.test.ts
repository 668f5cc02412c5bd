import { describe, expect, it } from "vitest";
import {
  type Comparison,
  isRight,
  leftOf,
  parseWanted,
  pictureOf,
  signed,
  verdictOf,
  wantedSearch,
} from "./compared";

const SIDE = { model: "m", job: "j", value: 0.5 };

function comparison(more: Partial<Comparison> = {}): Comparison {
  return {
    benchmark: "gsm8k",
    metric: "acc",
    higher_is_better: true,
    a: SIDE,
    b: SIDE,
    items: 40,
    missing_a: 0,
    missing_b: 0,
    difference: 0.5,
    low: 0.25,
    high: 0.75,
    level: 0.95,
    rounds: 10_000,
    seed: 0,
    p_value: 0.001,
    differs: {},
    flipped: 0,
    flips: [],
    ...more,
  };
}

describe("the verdict", () => {
  it.each([
    [{}, "b"],
    [{ difference: -0.5, low: -0.75, high: -0.25 }, "a"],
    [{ higher_is_better: false }, "a"],
    [{ low: -0.1 }, "chance"],
    [{ low: 0 }, "chance"],
    [{ p_value: 0.2 }, "chance"],
    [{ p_value: null }, "b"],
    [{ low: null, high: null }, "one"],
  ])("of %o is %s", (more, verdict) => {
    expect(verdictOf(comparison(more))).toBe(verdict);
  });
});

describe("the picture of an interval", () => {
  it("holds zero, whichever side the interval is on", () => {
    const right = pictureOf(comparison());
    expect(right?.zero).toBeLessThan(right?.low ?? 0);
    const left = pictureOf(comparison({ difference: -0.5, low: -0.75, high: -0.25 }));
    expect(left?.zero).toBeGreaterThan(left?.high ?? 1);
    for (const one of [right, left]) {
      for (const value of Object.values(one ?? {})) {
        expect(value).toBeGreaterThan(0);
        expect(value).toBeLessThan(1);
      }
    }
  });

  it("is there for no difference at all, and not without an interval", () => {
    const none = pictureOf(comparison({ difference: 0, low: 0, high: 0 }));
    expect(none).toEqual({ zero: 0.5, low: 0.5, high: 0.5, point: 0.5 });
    expect(pictureOf(comparison({ low: null }))).toBeNull();
  });
});

describe("the address", () => {
  it("goes into what is wanted and back", () => {
    const search = {
      a: "base",
      b: "/models/tuned",
      pack: "gsm8k",
      pair: "j1,j2",
      anyway: "1",
      show: "only_a",
      q: "中文",
      page: "3",
    };
    expect(wantedSearch(parseWanted(search))).toEqual(search);
    expect(wantedSearch(parseWanted({ show: "flipped", page: "1" }))).toEqual({});
    expect(parseWanted({ show: "odd", page: "-4" })).toMatchObject({ show: "flipped", page: 1 });
    expect(parseWanted({ page: "0" }).page).toBe(1);
    expect(parseWanted({ pack: "x", pair: "j1" }).pair).toBeNull();
    expect(parseWanted({ pair: "j1,j2" }).pair).toBeNull();
  });
});

it("numbers say which way they go", () => {
  expect([signed("0.5", 0.5), signed("-0.5", -0.5), signed("0", 0)]).toEqual(["+0.5", "-0.5", "0"]);
});

it("items are right at the end of the scale that is better", () => {
  expect([isRight(1, true), isRight(0.5, true), isRight(0, false)]).toEqual([true, false, true]);
});

it("what a filter left is said where it is not the whole answer", () => {
  expect(leftOf({ completion: "7777", extracted: "7", score: 0 })).toBe("7");
  expect(leftOf({ completion: "7", extracted: "7", score: 1 })).toBeNull();
  expect(leftOf({ completion: "7", score: 1 })).toBeNull();
});
