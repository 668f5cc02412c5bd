/** Several jobs side by side: rows of values, curves on one axis. */
import type { Columns } from "../job/charts/chartData";
import { flat, valueText } from "../job/config/configRows";

/** As many as can be told apart in one picture. */
export const MOST_COMPARED = 12;

export interface CompareRow {
  key: string;
  /** One value a job; `undefined` where it has none. */
  values: unknown[];
  differs: boolean;
}

/** Values of all jobs by key, `differs` where they are not all the same. */
export function compareRows(jobs: unknown[]): CompareRow[] {
  const each = jobs.map((one) => flat(one));
  const keys = [...new Set(each.flatMap((one) => [...one.keys()]))].sort((a, b) =>
    a.localeCompare(b),
  );
  return keys.map((key) => {
    const values = each.map((one) => one.get(key));
    const texts = new Set(values.map((value) => valueText(value)));
    return { key, values, differs: texts.size > 1 };
  });
}

interface Points {
  step: number[];
  value: (number | null)[];
}

/** Curves on the union of their steps; `null` where a curve has no point. */
export function onOneAxis(curves: (Points | undefined)[]): Columns {
  const steps = new Set<number>();
  for (const curve of curves) for (const step of curve?.step ?? []) steps.add(step);
  const x = [...steps].sort((a, b) => a - b);
  const place = new Map(x.map((step, index) => [step, index]));
  const lines = curves.map((curve) => {
    const value = new Array<number | null>(x.length).fill(null);
    curve?.step.forEach((step, index) => {
      value[place.get(step) ?? 0] = curve.value[index] ?? null;
    });
    return { value, smooth: null, low: null, high: null };
  });
  return { x, lines };
}

/** The jobs an address names, each once, at most twelve. */
export function jobsOf(text: string | undefined): string[] {
  return [...new Set((text ?? "").split(",").map((one) => one.trim()))]
    .filter(Boolean)
    .slice(0, MOST_COMPARED);
}
