/** `then` as a form shows it: an export, benchmarks, and what only YAML can say. */

export interface Steps {
  exported: boolean;
  benchmarks: string[];
  /** Steps with settings of their own; they stay as they are. */
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
