/** From curves of the API to the aligned columns that uPlot draws. Pure, tested beside. */
import type { Schemas } from "@/api/client";

export type Curve = Schemas["Curve"];
export type XKind = "step" | "time" | "tokens";

/** One metric of one job as a chart shows it. */
export interface Line {
  key: string;
  label: string;
  curve: Curve;
}

type Column = (number | null)[];

export interface Columns {
  x: number[];
  /** Per line: what is drawn. `low` and `high` are null where each point stands for itself. */
  lines: { value: Column; smooth: Column | null; low: Column | null; high: Column | null }[];
}

/**
 * Exponential moving average, bias-corrected as in Adam (Kingma & Ba 2015, algorithm 1), so
 * that the first points are not pulled towards zero. `weight` is in [0, 1). Gaps stay gaps.
 */
export function smooth(values: Column, weight: number): Column {
  let mean = 0;
  let seen = 0;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    mean = weight * mean + (1 - weight) * value;
    seen += 1;
    return mean / (1 - weight ** seen);
  });
}

/** Steps to positions on the axis. `tokens` maps by linear interpolation in the tokens' own curve. */
export function positions(curve: Curve, x: XKind, start: number, tokens?: Curve): number[] {
  if (x === "time") return (curve.time ?? []).map((time) => time - start);
  if (x === "tokens" && tokens) return curve.step.map((step) => interpolate(tokens, step));
  return curve.step;
}

/** The value of a rising curve at `step`, linear between its points, flat outside of them. */
export function interpolate(curve: Curve, step: number): number {
  const steps = curve.step;
  let low = 0;
  let high = steps.length - 1;
  if (high < 0) return step;
  if (step <= (steps[low] ?? 0)) return curve.value[low] ?? 0;
  if (step >= (steps[high] ?? 0)) return curve.value[high] ?? 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) <= step) low = middle;
    else high = middle;
  }
  const [a, b] = [steps[low] ?? 0, steps[high] ?? 0];
  const [from, to] = [curve.value[low] ?? 0, curve.value[high] ?? 0];
  return b === a ? to : from + ((to - from) * (step - a)) / (b - a);
}

export interface Shape {
  x: XKind;
  /** Unix seconds that stand at 0 on an axis of time. */
  start: number;
  tokens?: Curve;
  smoothing: number;
  logY: boolean;
}

/** Columns over the union of all lines' positions; a line has null where it has no point. */
export function columns(lines: Line[], shape: Shape): Columns {
  const each = lines.map((line) => prepared(line.curve, shape));
  if (each.length === 1 && each[0] && isRising(each[0].x)) {
    return { x: each[0].x, lines: [each[0]] };
  }
  const all = [...new Set(each.flatMap((one) => one.x))].sort((a, b) => a - b);
  const index = new Map(all.map((x, at) => [x, at]));
  return {
    x: all,
    lines: each.map((one) => ({
      value: spread(one.value, one.x, index, all.length),
      smooth: one.smooth && spread(one.smooth, one.x, index, all.length),
      low: one.low && spread(one.low, one.x, index, all.length),
      high: one.high && spread(one.high, one.x, index, all.length),
    })),
  };
}

function prepared(curve: Curve, shape: Shape) {
  const clean = (column: Column): Column =>
    column.map((value) =>
      value === null || !Number.isFinite(value) || (shape.logY && value <= 0) ? null : value,
    );
  const value = clean(curve.value);
  const bucketed = (curve.count ?? []).some((count) => count > 1);
  return {
    x: positions(curve, shape.x, shape.start, shape.tokens),
    value,
    smooth: shape.smoothing > 0 ? smooth(value, shape.smoothing) : null,
    low: bucketed && curve.min ? clean(curve.min) : null,
    high: bucketed && curve.max ? clean(curve.max) : null,
  };
}

function isRising(x: number[]): boolean {
  for (let at = 1; at < x.length; at += 1) if ((x[at] ?? 0) <= (x[at - 1] ?? 0)) return false;
  return true;
}

/** A later point at the same position wins: a resumed attempt goes over steps again. */
function spread(column: Column, x: number[], index: Map<number, number>, length: number): Column {
  const wide: Column = new Array<number | null>(length).fill(null);
  x.forEach((position, at) => {
    const to = index.get(position);
    if (to !== undefined) wide[to] = column[at] ?? null;
  });
  return wide;
}

export interface Span {
  attempt: number;
  from: number;
  to: number;
}

/** Where each attempt lies on the axis, in order. One attempt alone needs no shading. */
export function attemptSpans(curve: Curve, x: number[]): Span[] {
  const spans: Span[] = [];
  curve.attempt.forEach((attempt, at) => {
    const position = x[at] ?? 0;
    const last = spans.at(-1);
    if (last && last.attempt === attempt) last.to = Math.max(last.to, position);
    else spans.push({ attempt, from: position, to: position });
  });
  return spans.length > 1 ? spans : [];
}

/** Positions of points that are NaN or infinite, with which of them. */
export function oddPoints(curve: Curve, x: number[]): { x: number; what: string }[] {
  return Object.entries(curve.nonfinite ?? {}).map(([at, what]) => ({
    x: x[Number(at)] ?? 0,
    what,
  }));
}

/** The points of a curve as a table for other programs. */
export function toCsv(name: string, curve: Curve): string {
  const odd = curve.nonfinite ?? {};
  const rows = curve.step.map((step, at) => {
    const value = odd[at as never] ?? curve.value[at] ?? "";
    return `${step},${curve.time?.[at] ?? ""},${curve.attempt[at] ?? 0},${value}`;
  });
  return `step,time,attempt,${csvField(name)}\n${rows.join("\n")}\n`;
}

function csvField(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export interface Group<T> {
  prefix: string;
  items: T[];
}

/** Group names by what stands before the first `/`; names without one come under "". */
export function byPrefix<T extends { name: string }>(items: T[]): Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const slash = item.name.indexOf("/");
    const prefix = slash > 0 ? item.name.slice(0, slash) : "";
    const group = groups.get(prefix);
    if (group) group.push(item);
    else groups.set(prefix, [item]);
  }
  return [...groups].map(([prefix, grouped]) => ({ prefix, items: grouped }));
}

/** `items` with those named in `order` first and in that order. */
export function inOrder<T extends { name: string }>(items: T[], order: string[]): T[] {
  const place = new Map(order.map((name, at) => [name, at]));
  return items.toSorted(
    (a, b) => (place.get(a.name) ?? order.length) - (place.get(b.name) ?? order.length),
  );
}

/** `names` with `name` moved to stand where `target` is. */
export function moveTo(names: string[], name: string, target: string): string[] {
  const from = names.indexOf(name);
  const to = names.indexOf(target);
  if (from < 0 || to < 0 || from === to) return names;
  const rest = names.filter((one) => one !== name);
  rest.splice(to, 0, name);
  return rest;
}
