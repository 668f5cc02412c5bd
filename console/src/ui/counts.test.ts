import { describe, expect, it } from "vitest";
import { countsOf, doneOf } from "./counts";

describe("counts of states", () => {
  it("come in one order, whatever order the server has, and without zeros", () => {
    const found = countsOf({ waiting: 2, failed: 1, succeeded: 3, running: 0 });
    expect(found.map((one) => one.state)).toEqual(["succeeded", "failed", "waiting"]);
  });

  it("keep a state that this page does not know", () => {
    expect(countsOf({ odd: 1, waiting: 1 }).map((one) => one.state)).toEqual(["waiting", "odd"]);
  });

  it("count as done what neither waits nor runs", () => {
    expect(doneOf({ succeeded: 2, gate_failed: 1, skipped: 1, running: 1, waiting: 4 })).toEqual({
      done: 4,
      all: 9,
    });
    expect(doneOf(undefined)).toEqual({ done: 0, all: 0 });
  });

  it("have as many as are planned, where not all are there yet", () => {
    expect(doneOf({ succeeded: 2, running: 1 }, 20)).toEqual({ done: 2, all: 20 });
    expect(doneOf({ succeeded: 2 }, 1)).toEqual({ done: 2, all: 2 });
  });
});
