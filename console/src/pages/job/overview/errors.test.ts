import { describe, expect, it } from "vitest";
import { firstError, withoutAnsi } from "./errors";

const at = (texts: string[]) => firstError(texts.map((text, line) => ({ line, text })))?.line;

describe("firstError", () => {
  it.each([
    [["step 1", "Traceback (most recent call last):", "ValueError: no"], 1],
    [["ok", "\u001b[31mRuntimeError: bad\u001b[0m"], 1],
    [["torch.OutOfMemoryError: CUDA"], 0],
    [["12:00 ERROR worker died", "FATAL"], 0],
    [["train.sh: error: no such file"], 0],
  ])("finds it in %j", (texts, line) => expect(at(texts)).toBe(line));

  it("takes no word that only sounds like one", () => {
    expect(at(["eval/error_rate 0.3", "0 errors", "ErrorBar drawn"])).toBeUndefined();
  });
});

it("leaves out colours", () => {
  expect(withoutAnsi("\u001b[1;32mgreen\u001b[0m text")).toBe("green text");
});
