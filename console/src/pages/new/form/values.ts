/** What is typed into a parameter's field, and the value it stands for. */

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** The parts of a type such as `list[str] | None`, cut at `|` outside of brackets. */
export function kindsOf(type: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const letter of type) {
    if (letter === "[") depth += 1;
    if (letter === "]") depth -= 1;
    if (letter === "|" && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += letter;
  }
  return [...parts, part.trim()].filter(Boolean);
}

/** A type that takes true and false and nothing else (but empty). */
export function isSwitch(type: string): boolean {
  return kindsOf(type).every((kind) => kind === "bool" || kind === "None");
}

/** A value as it stands in a field; texts stand as they are. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/**
 * The value that a text stands for. What does not fit `type` stays a text: the server's checks
 * say what is wrong with it.
 */
export function parseValue(text: string, type: string): unknown {
  const plain = text.trim();
  const kinds = kindsOf(type);
  if (plain === "null" && kinds.includes("None")) return null;
  if (kinds.includes("bool") && (plain === "true" || plain === "false")) return plain === "true";
  const numeric = kinds.some((kind) => kind === "int" || kind === "float");
  if ((numeric || kinds.some(isAny)) && NUMBER.test(plain)) return Number(plain);
  if (/^[[{]/.test(plain) && kinds.some(isStructured)) return parsed(plain) ?? text;
  if (kinds.some((kind) => kind.startsWith("list[str")) && !kinds.includes("str")) {
    return plain
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
  }
  if (kinds.some((kind) => /^(list|tuple)/.test(kind)) && plain.includes(",")) {
    return parsed(`[${plain}]`) ?? text;
  }
  return kinds.some((kind) => kind === "str") ? text : plain;
}

const isAny = (kind: string) => kind === "Any";
const isStructured = (kind: string) => isAny(kind) || /^(list|tuple|dict)/.test(kind);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
