import { describe, expect, it } from "vitest";
import { changedRows, differenceRows, flat, fullRows, matches } from "./configRows";

const plan = {
  config: { optim: { lr: 1e-5, betas: [0.9, 0.95] }, seed: 7, extra: {} },
  differs: [
    { path: "seed", value: 7, default: 42, source: "--set" },
    { path: "optim.lr", value: 1e-5, default: 1e-6, source: "params", parameter: "learning_rate" },
  ],
};

describe("config rows", () => {
  it("flattens objects and leaves lists whole", () => {
    expect([...flat(plan.config)]).toEqual([
      ["optim.lr", 1e-5],
      ["optim.betas", [0.9, 0.95]],
      ["seed", 7],
      ["extra", {}],
    ]);
  });

  it("gives default and source where a key was changed, and only there", () => {
    const rows = fullRows(plan);
    expect(rows.map((row) => row.key)).toEqual(["extra", "optim.betas", "optim.lr", "seed"]);
    expect(rows[1]).toEqual({ key: "optim.betas", value: [0.9, 0.95] });
    expect(rows[3]).toMatchObject({ default: 42, source: "--set" });
    expect(changedRows(plan).map((row) => row.key)).toEqual(["optim.lr", "seed"]);
  });

  it("compares two jobs key by key, keys of one of them too", () => {
    const rows = differenceRows({ a: 1, b: { c: [1], d: 2 } }, { a: 1, b: { c: [2] }, e: null });
    expect(rows).toEqual([
      { key: "b.c", value: [1], theirs: [2] },
      { key: "b.d", value: 2, theirs: undefined },
      { key: "e", value: undefined, theirs: null },
    ]);
  });

  it("searches key, value and parameter", () => {
    const row = { key: "optim.lr", value: 1e-5, parameter: "learning_rate" };
    expect(matches(row, "LEARNING")).toBe(true);
    expect(matches(row, "0.00001")).toBe(true);
    expect(matches(row, "seed")).toBe(false);
  });
});
