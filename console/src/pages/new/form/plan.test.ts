import { describe, expect, it } from "vitest";
import { commandLine } from "./plan";

describe("commandLine", () => {
  it("quotes what a shell would cut or run", () => {
    expect(commandLine(["$PYTHON", "a b.py", "--n=1", "it's", ""])).toBe(
      `$PYTHON 'a b.py' --n=1 'it'"'"'s' ''`,
    );
  });
});
