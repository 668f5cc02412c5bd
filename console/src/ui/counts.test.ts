import { describe, expect, it } from "vitest";
import { countsOf, outcomeOf } from "./counts";

describe("counts of states", () => {
  it("come in one order, whatever order the server has, and without zeros", () => {
    const found = countsOf({ waiting: 2, failed: 1, succeeded: 3, running: 0 });
    expect(found.map((one) => one.state)).toEqual(["succeeded", "failed", "waiting"]);
  });

  it("keep a state that this page does not know", () => {
    expect(countsOf({ odd: 1, waiting: 1 }).map((one) => one.state)).toEqual(["waiting", "odd"]);
  });

  it("say how many succeeded, and what became of the others", () => {
    const counts = { skipped: 1, succeeded: 4, failed: 1 };
    expect(outcomeOf(counts)).toEqual({
      succeeded: 4,
      all: 6,
      others: [
        { state: "failed", count: 1 },
        { state: "skipped", count: 1 },
      ],
      ahead: 0,
    });
    expect(outcomeOf(undefined)).toEqual({ succeeded: 0, all: 0, others: [], ahead: 0 });
  });

  it("have as many as are planned, where not all are there yet", () => {
    expect(outcomeOf({ succeeded: 2, running: 1 }, 20)).toMatchObject({ all: 20, ahead: 17 });
    expect(outcomeOf({ succeeded: 2 }, 1)).toMatchObject({ all: 2, ahead: 0 });
  });
});
