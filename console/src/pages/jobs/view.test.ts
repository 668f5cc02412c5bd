import { describe, expect, it } from "vitest";
import {
  COLUMNS,
  isFiltered,
  nextSort,
  parseView,
  selectRange,
  someColumns,
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
  const order = ["a", "b", undefined, "d", "e"];
  it("turns one row", () => {
    expect([...selectRange(new Set(), order, "b", null)]).toEqual(["b"]);
    expect([...selectRange(new Set(["b"]), order, "b", null)]).toEqual([]);
  });
  it("takes all between, in both directions, skipping rows that are not loaded", () => {
    expect([...selectRange(new Set(["a"]), order, "d", "a")]).toEqual(["a", "b", "d"]);
    expect([...selectRange(new Set(["e"]), order, "b", "e")].sort()).toEqual(["b", "d", "e"]);
  });
});
