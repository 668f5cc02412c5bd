import { describe, expect, it } from "vitest";
import { type Answer, type Question, walk } from "./flow";

function answer(id: string, next: string | null = null): Answer {
  return { id, label: { en: id, zh: id }, kind: "preference", next, methods: [] } as Answer;
}

function question(id: string, answers: Answer[]): Question {
  return { id, text: { en: id, zh: id }, answers };
}

const FLOW = [
  question("data", [answer("binary"), answer("preference", "preference")]),
  question("preference", [answer("default"), answer("case-1")]),
];

describe("the walk through the questions", () => {
  it("begins with the first", () => {
    expect(walk(FLOW, []).open?.id).toBe("data");
  });

  it("goes on to the question that an answer names, and ends where it names none", () => {
    expect(walk(FLOW, ["preference"]).open?.id).toBe("preference");
    const ended = walk(FLOW, ["preference", "case-1"]);
    expect(ended.open).toBeNull();
    expect(ended.steps.map((step) => step.answer.id)).toEqual(["preference", "case-1"]);
    expect(walk(FLOW, ["binary"]).open).toBeNull();
  });

  it("stops at an answer that is not known (an old link)", () => {
    const found = walk(FLOW, ["preference", "gone", "default"]);
    expect(found.steps).toHaveLength(1);
    expect(found.open?.id).toBe("preference");
  });

  it("asks nothing of an empty flowchart", () => {
    expect(walk([], ["data"])).toEqual({ steps: [], open: null });
  });
});
