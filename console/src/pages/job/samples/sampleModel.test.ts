import { describe, expect, it } from "vitest";
import { groups, pairs, type Sample, textOf } from "./sampleModel";

const sample = (more: Record<string, unknown>): Sample =>
  ({ attempt: 0, step: 1, reward: null, prompt: null, completion: null, ...more }) as Sample;

describe("texts", () => {
  it("shows chat messages by role and other values as JSON", () => {
    const chat = sample({ prompt_value: [{ role: "user", content: "hi" }] });
    expect(textOf(chat, "prompt")).toBe("user: hi");
    expect(textOf(sample({ completion_value: { a: 1 } }), "completion")).toContain('"a": 1');
    expect(textOf(sample({}), "prompt")).toBe("");
  });
});

describe("groups", () => {
  it("puts the completions of a prompt together, the best first", () => {
    const made = groups([
      sample({ prompt: "p", reward: 0 }),
      sample({ prompt: "q", reward: 5 }),
      sample({ prompt: "p", reward: 1 }),
    ]);
    expect(made.map((group) => [group.prompt, group.samples.map((one) => one.reward)])).toEqual([
      ["p", [1, 0]],
      ["q", [5]],
    ]);
    expect([made[0]?.mean, made[0]?.deviation]).toEqual([0.5, 0.5]);
  });
  it("goes by the group's own number, and apart by step", () => {
    const made = groups([
      sample({ prompt: "p", group: 1 }),
      sample({ prompt: "p", group: 2 }),
      sample({ prompt: "p", group: 1, step: 2 }),
    ]);
    expect(made).toHaveLength(3);
    expect(made[0]?.mean).toBeNull();
  });
});

describe("pairs", () => {
  it("sets two steps side by side on the same prompt", () => {
    const made = pairs(
      [sample({ prompt: "a" }), sample({ prompt: "b", completion: "old" })],
      [sample({ prompt: "b", completion: "new", step: 9 })],
    );
    expect(made.map((pair) => [pair.prompt, pair.left.length, pair.right.length])).toEqual([
      ["b", 1, 1],
      ["a", 1, 0],
    ]);
  });
});
