import { describe, expect, it } from "vitest";
import { parseSettings, toSearch } from "./settings";

describe("chart settings in the address", () => {
  it("come back as they went in", () => {
    const search = { x: "time", smooth: "0.6", log: "xy", lo: "10", hi: "20.5", metric: "loss" };
    expect(toSearch(parseSettings(search))).toEqual(search);
  });
  it("are the usual ones when the address says nothing or nonsense", () => {
    const usual = parseSettings({});
    expect(parseSettings({ x: "moon", smooth: "many", log: "z", lo: "5", hi: "2" })).toEqual(usual);
    expect(Object.values(toSearch(usual)).every((value) => value === undefined)).toBe(true);
  });
  it("never smooth to nothing", () => {
    expect(parseSettings({ smooth: "1" }).smoothing).toBe(0.99);
  });
});
