import { describe, expect, it } from "vitest";
import { formatBytes, formatNumber, formatPercent, formatTicks } from "./number";
import { formatDuration, formatRelative } from "./time";

describe("numbers", () => {
  it.each([
    [0, "0"],
    [12345, "12,345"],
    [0.123456, "0.1235"],
    [1e-6, "1e-6"],
    [2.5e-5, "2.5e-5"],
    [123456789, "1.235e8"],
    [-0.5, "-0.5"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "∞"],
    [null, "–"],
  ])("%s is shown as %s", (value, shown) => {
    expect(formatNumber(value)).toBe(shown);
  });

  it.each([
    [
      [0, 0.5, 1],
      ["0", "0.5", "1.0"],
    ],
    [
      [0.01, 0.1, 1, 10],
      ["0.01", "0.1", "1", "10"],
    ],
    [
      [51.07, 51.075, 51.08],
      ["51.070", "51.075", "51.080"],
    ],
    [
      [51.905, 51.906, 51.907],
      ["51.905", "51.906", "51.907"],
    ],
    [
      [1e-5, null, 2e-5],
      ["1e-5", "", "2e-5"],
    ],
    [
      [0.1 + 0.2, 0.4],
      ["0.3", "0.4"],
    ],
    [[], []],
  ])("marks %s of an axis differ", (ticks, shown) => {
    expect(formatTicks(ticks)).toEqual(shown);
  });

  it("bytes and shares", () => {
    expect(formatBytes(999)).toBe("999 B");
    expect(formatBytes(1_250_000_000)).toBe("1.25 GB");
    expect(formatPercent(0.421)).toBe("42 %");
    expect(formatPercent(0.004)).toBe("0.4 %");
  });
});

describe("times", () => {
  it.each([
    [0, "0 s"],
    [2.34, "2.3 s"],
    [59, "59 s"],
    [125, "2 min 5 s"],
    [7200, "2 h"],
    [90_061, "1 d 1 h"],
  ])("%s seconds are %s", (seconds, shown) => {
    expect(formatDuration(seconds, "en")).toBe(shown);
  });

  it("leaves smaller units out where there is no room", () => {
    expect(formatDuration(487, "en", 1)).toBe("8 min");
    expect(formatDuration(4.2, "zh", 1)).toBe("4.2 秒");
  });

  it("says how long ago in both languages", () => {
    const now = new Date("2026-12-02T12:00:00Z");
    const before = new Date("2026-12-02T11:57:00Z");
    expect(formatRelative(before, now, "en")).toBe("3 minutes ago");
    expect(formatRelative(before, now, "zh")).toBe("3 分钟前");
  });
});
