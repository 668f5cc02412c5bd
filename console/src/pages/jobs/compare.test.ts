import { expect, it } from "vitest";
import { compareRows, jobsOf, onOneAxis } from "./compare";

it("marks the keys in which jobs differ", () => {
  expect(compareRows([{ lr: 1, a: { b: [1] } }, { lr: 2, a: { b: [1] } }, { lr: 2 }])).toEqual([
    { key: "a.b", values: [[1], [1], undefined], differs: true },
    { key: "lr", values: [1, 2, 2], differs: true },
  ]);
  expect(compareRows([{ x: 1 }, { x: 1 }])[0]?.differs).toBe(false);
});

it("puts curves with other steps on one axis", () => {
  const drawn = onOneAxis([
    { step: [0, 10], value: [1, null] },
    undefined,
    { step: [5, 10], value: [3, 4] },
  ]);
  expect(drawn.x).toEqual([0, 5, 10]);
  expect(drawn.lines.map((line) => line.value)).toEqual([
    [1, null, null],
    [null, null, null],
    [null, 3, 4],
  ]);
});

it("reads the jobs of an address", () => {
  expect(jobsOf("a, b,,a")).toEqual(["a", "b"]);
  expect(jobsOf(undefined)).toEqual([]);
});
