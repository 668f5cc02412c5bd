import { describe, expect, it } from "vitest";
import { matching, parseRuns, runsSearch, verbOf } from "./runs";

describe("the address of a list", () => {
  it("is read with what does not exist left out", () => {
    expect(parseRuns({ state: "failed", q: "math", page: "3" })).toEqual({
      state: "failed",
      search: "math",
      page: 3,
    });
    expect(parseRuns({ state: "queued", page: "-1" })).toEqual({ page: 1 });
    expect(parseRuns({ page: "1.5" })).toEqual({ page: 1 });
  });

  it("comes to the same when it is written and read", () => {
    const filter = { state: "stopped" as const, search: "流水线 a", page: 2 };
    expect(parseRuns(runsSearch(filter))).toEqual(filter);
    expect(runsSearch({ page: 1 })).toEqual({});
  });
});

describe("matching", () => {
  const runs = [
    { id: "s1a", name: "Rate", state: "running" as const },
    { id: "s2b", name: "beta", state: "failed" as const },
  ];

  it("looks at names and ids, whatever the case", () => {
    expect(matching(runs, { search: "rate", page: 1 })).toHaveLength(1);
    expect(matching(runs, { search: "S2", page: 1 })[0]?.name).toBe("beta");
  });

  it("keeps only those of the state", () => {
    expect(matching(runs, { state: "running", page: 1 })).toHaveLength(1);
    expect(matching(runs, { state: "stopped", page: 1 })).toHaveLength(0);
  });
});

describe("what can be done", () => {
  it("is to stop what runs, and nothing to what stops already or has succeeded", () => {
    for (const kind of ["pipeline", "sweep"] as const) {
      expect(verbOf(kind, "running")).toBe("stop");
      expect(verbOf(kind, "stopping")).toBeNull();
      expect(verbOf(kind, "succeeded")).toBeNull();
      expect(verbOf(kind, "stopped")).toBe("resume");
    }
  });

  it("is to resume a failed pipeline, but no failed sweep", () => {
    expect(verbOf("pipeline", "failed")).toBe("resume");
    expect(verbOf("sweep", "failed")).toBeNull();
  });
});
