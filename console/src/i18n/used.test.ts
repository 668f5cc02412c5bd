/** A text that no page shows is one more to translate for nothing. */
import { expect, test } from "vitest";
import { resources } from "./resources";

const SOURCES = import.meta.glob("../**/*.{ts,tsx}", {
  eager: true,
  query: "?raw",
  import: "default",
}) as Record<string, string>;

const code = Object.entries(SOURCES)
  .filter(([file]) => file.startsWith("../") && !file.includes(".test."))
  .map(([, text]) => text)
  .join("\n");
const named = new Set([...code.matchAll(/["'`]([\w:.-]+)["'`]/g)].map((found) => found[1] ?? ""));
const made = [...code.matchAll(/`([\w:.-]*\$\{[^`\n]*)`/g)].map((found) => pattern(found[1] ?? ""));

/** What a key made of parts may be: any names stand for what is filled in. */
function pattern(template: string): RegExp {
  const fixed = template.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.:]/g, "\\$&"));
  return fixed.every((part) => /^[\w\\.:-]*$/.test(part)) &&
    fixed.some((part) => part.includes("."))
    ? new RegExp(`^${fixed.join("[^:]+")}$`)
    : /^$/;
}

function keys(texts: object, before = ""): string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    typeof text === "object" ? keys(text, `${before}${name}.`) : [`${before}${name}`],
  );
}

/** Plurals are asked for without their ending. */
function isUsed(part: string, key: string): boolean {
  const plain = key.replace(/_(zero|one|other)$/, "");
  const ways = [plain, `${part}:${plain}`];
  return ways.some((way) => named.has(way) || made.some((one) => one.test(way)));
}

test.each(Object.entries(resources.en))("every text of %s is shown somewhere", (part, texts) => {
  expect(keys(texts as object).filter((key) => !isUsed(part, key))).toEqual([]);
});
