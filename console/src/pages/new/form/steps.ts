/** `then` as a form shows it: an export, benchmarks, and steps with settings of their own. */

export interface Steps {
  exported: boolean;
  benchmarks: string[];
  /** Steps with settings of their own, as mappings. */
  rest: unknown[];
}

const METHOD = "evalkit/benchmark"; // alone, it stands for the pack `basics`

export function stepsOf(written: readonly unknown[]): Steps {
  const steps: Steps = { exported: false, benchmarks: [], rest: [] };
  for (const one of written) {
    if (one === "export") steps.exported = true;
    else if (typeof one === "string" && one !== METHOD) steps.benchmarks.push(one);
    else steps.rest.push(one);
  }
  return steps;
}

export function writtenSteps({ exported, benchmarks, rest }: Steps): unknown[] {
  return [...(exported ? ["export"] : []), ...benchmarks, ...rest];
}

/**
 * Steps written as JSON: one a line, or a list. What can't be read is kept as a list with its
 * text, which is never a step: so the checks refuse it and name it.
 */
export function restOf(text: string): unknown[] {
  const plain = text.trim();
  if (plain === "") return [];
  const whole = parsed(plain);
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole];
  const lines = plain.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => parsed(line) ?? [line]);
}

export function restText(rest: readonly unknown[]): string {
  return rest.map((one) => unread(one) ?? JSON.stringify(one)).join("\n");
}

function unread(one: unknown): string | null {
  return Array.isArray(one) && one.length === 1 && typeof one[0] === "string" ? one[0] : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
