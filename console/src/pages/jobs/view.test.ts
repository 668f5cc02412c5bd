import { describe, expect, it } from "vitest";
import type { Job } from "@/api/client";
import {
  COLUMNS,
  isFiltered,
  metricNames,
  metricSort,
  nextSort,
  parseView,
  selectRange,
  shownMetric,
  someColumns,
  sortedMetric,
  viewSearch,
} from "./view";

describe("view", () => {
  it("goes through the address and back", () => {
    const search = {
      state: "running,failed",
      method: "trl/sft",
      tag: "a",
      q: "中文",
      sort: "name",
    };
    expect(viewSearch(parseView(search))).toEqual(search);
    expect(viewSearch(parseView({}))).toEqual({});
  });

  it("leaves out states that don't exist and knows a filter from an order", () => {
    expect(parseView({ state: "nonsense,queued" }).state).toEqual(["queued"]);
    expect(isFiltered(parseView({ sort: "name" }))).toBe(false);
    expect(isFiltered(parseView({ q: "x" }))).toBe(true);
  });

  it("turns the order of a column, and of no other", () => {
    expect(nextSort("-created_at", "name")).toBe("-name");
    expect(nextSort("-name", "name")).toBe("name");
    expect(nextSort("name", "model")).toBe("name");
  });

  it("keeps the fixed columns and the table's order", () => {
    expect(someColumns(["owner", "method", "gone"])).toEqual(["state", "name", "method", "owner"]);
    expect(someColumns(null)).toEqual([...COLUMNS]);
  });
});

describe("selectRange", () => {
  const order = ["a", "b", "c", "d", "e"];
  it("turns one row", () => {
    expect([...selectRange(new Set(), order, "b", null)]).toEqual(["b"]);
    expect([...selectRange(new Set(["b"]), order, "b", null)]).toEqual([]);
  });
  it("takes all between, in both directions", () => {
    expect([...selectRange(new Set(["a"]), order, "d", "a")]).toEqual(["a", "b", "c", "d"]);
    expect([...selectRange(new Set(["e"]), order, "b", "e")].sort()).toEqual(["b", "c", "d", "e"]);
  });
});

describe("sorting by a headline metric", () => {
  const job = (headline: Record<string, number | null>) => ({ headline }) as Job;

  it("goes into the order and back", () => {
    expect(sortedMetric(metricSort("train/loss", true))).toEqual({
      name: "train/loss",
      down: true,
    });
    expect(sortedMetric(metricSort("loss", false))).toEqual({ name: "loss", down: false });
    expect(sortedMetric("-created_at")).toBeNull();
  });

  it("offers what jobs have, most of them first, and always the current one", () => {
    const jobs = [job({ a: 1 }), job({ b: 1, c: 2 }), job({ b: 3 })];
    expect(metricNames(jobs, "")).toEqual(["b", "a", "c"]);
    expect(metricNames([], "-headline:gone")).toEqual(["gone"]);
  });

  it("shows the metric that is sorted by where a job has it", () => {
    expect(shownMetric(job({ a: 1, b: 2 }), "headline:b")).toEqual(["b", 2]);
    expect(shownMetric(job({ a: 1 }), "headline:b")).toEqual(["a", 1]);
    expect(shownMetric(job({}), "")).toBeNull();
  });
});
