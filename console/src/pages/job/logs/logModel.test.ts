import { describe, expect, it } from "vitest";
import { compile, lastRewrite, levelOf, matches, pieces, plain } from "./logModel";

describe("levels", () => {
  it.each([
    ["Traceback (most recent call last):", "error"],
    ["ValueError: no such column", "error"],
    ["2026-12-02 ERROR worker died", "error"],
    ["torch.OutOfMemoryError: CUDA out of memory", "error"],
    ["UserWarning: slow tokenizer", "warning"],
    ["step 3 loss 0.5", "info"],
    ["finished with 0 errors", "info"],
    ["running with --on-error=stop", "info"],
  ])("%s is %s", (text, level) => {
    expect(levelOf(text)).toBe(level);
  });
});

describe("terminal output", () => {
  it("keeps colours as names and drops other codes", () => {
    const made = pieces("\u001b[31mred\u001b[0m and \u001b[1mbold\u001b[0m\u001b[2K");
    expect(made.map(({ text, color, bold }) => [text, color, bold])).toEqual([
      ["red", "red", false],
      [" and ", null, false],
      ["bold", null, true],
    ]);
  });
  it("shows the last state of a progress bar", () => {
    expect(lastRewrite("10%\r50%\r100%")).toBe("100%");
    expect(lastRewrite("done\r")).toBe("done");
  });
  it("never turns text into markup", () => {
    const [piece] = pieces("<img src=x onerror=alert(1)>");
    expect(piece?.text).toBe("<img src=x onerror=alert(1)>");
    expect(plain("\u001b]0;title\u0007x")).toBe("x");
  });
  it("keeps markup characters between colours as they are", () => {
    expect(pieces("\u001b[32ma<b>&c\u001b[0m").map((piece) => piece.text)).toEqual(["a<b>&c"]);
  });
});

describe("filters", () => {
  it("take a level and worse, and a pattern", () => {
    expect(matches("warning: x", { pattern: null, level: "warning" })).toBe(true);
    expect(matches("error: x", { pattern: null, level: "warning" })).toBe(true);
    expect(matches("hello", { pattern: null, level: "warning" })).toBe(false);
    expect(matches("\u001b[31mLoss 3\u001b[0m", { pattern: /loss \d/i, level: null })).toBe(true);
  });
  it("say what is wrong with a pattern", () => {
    expect(compile("(").pattern).toBeNull();
    expect(compile("(").problem).toContain("(");
    expect(compile("").problem).toBeNull();
  });
});
