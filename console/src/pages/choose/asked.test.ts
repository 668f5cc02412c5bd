import { describe, expect, it } from "vitest";
import { askedOf, newJobSearch } from "./asked";

const DIGEST = "a".repeat(64);

describe("the address of choosing", () => {
  it("holds answers, or a file with how to read it", () => {
    expect(askedOf({ answers: "verifiable,hard" }).answers).toEqual(["verifiable", "hard"]);
    const asked = askedOf({ digest: DIGEST, file: "a.csv", map: "question:prompt", gpus: "2" });
    expect(asked).toMatchObject({
      digest: DIGEST,
      file: "a.csv",
      map: { question: "prompt" },
      gpus: 2,
      memory: null,
    });
  });

  it("passes over what makes no sense", () => {
    const asked = askedOf({ digest: "../x", gpus: "-1", memory: "much" });
    expect(asked).toMatchObject({ digest: null, gpus: null, memory: null });
  });

  it("leads to a new job with the data filled in", () => {
    const file = askedOf({ digest: DIGEST, file: "a.csv" });
    expect(newJobSearch("trl/sft", file, { question: "prompt" })).toEqual({
      method: "trl/sft",
      digest: DIGEST,
      file: "a.csv",
      map: "question:prompt",
    });
    const registered = askedOf({ digest: DIGEST, dataset: "qa@2" });
    expect(newJobSearch("trl/sft", registered, {})).toEqual({ method: "trl/sft", dataset: "qa@2" });
    expect(newJobSearch("trl/dpo", askedOf({ answers: "x" }), {})).toEqual({ method: "trl/dpo" });
    const taught = newJobSearch("trl/opsd", askedOf({ teacher: "Qwen/Qwen3-32B" }), {});
    expect(taught).toEqual({ method: "trl/opsd", teacher: "Qwen/Qwen3-32B" });
  });
});
