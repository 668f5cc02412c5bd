import { expect, it } from "vitest";
import { oneLine } from "./oneLine";

it("a text of several lines comes on one, with a space only where one is written", () => {
  expect(oneLine("ended with code 1. Its last lines:\nValueError: x\n")).toBe(
    "ended with code 1. Its last lines: ValueError: x",
  );
  expect(oneLine("以退出码 1 结束。最后的输出：\nValueError: x\n  y")).toBe(
    "以退出码 1 结束。最后的输出：ValueError: x y",
  );
});
