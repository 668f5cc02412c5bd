/** The trials of a sweep as rows and as points. */
import type { Trial } from "../pipelines/queries";

/** Names of all parameters, in the order in which trials have them. */
export function parameterNames(trials: Trial[]): string[] {
  return [...new Set(trials.flatMap((one) => Object.keys(one.parameters)))];
}

/** The number a text is, `null` for any other text. */
export function numberOf(text: string | undefined): number | null {
  if (text === undefined || text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

export interface Axis {
  /** The trial's number, or the name of a parameter. */
  name: string;
  log: boolean;
  /** Values that are no numbers stand at 0, 1, 2, …: these are their texts. */
  words: string[] | null;
}

const WIDE_RANGE = 30; // largest over smallest from which a logarithmic axis shows more

export const BY_NUMBER = "";

/** How the horizontal axis of a parameter is drawn. */
export function axisOf(trials: Trial[], name: string): Axis {
  if (name === BY_NUMBER) return { name, log: false, words: null };
  const texts = trials.flatMap((one) => one.parameters[name] ?? []);
  const values = texts.map(numberOf);
  if (values.some((value) => value === null)) {
    return { name, log: false, words: [...new Set(texts)].sort((a, b) => a.localeCompare(b)) };
  }
  const known = values as number[];
  const low = Math.min(...known);
  return { name, log: low > 0 && Math.max(...known) / low >= WIDE_RANGE, words: null };
}

export interface Point {
  x: number;
  y: number;
  trial: Trial;
}

function placeOf(trial: Trial, axis: Axis): number | null {
  if (axis.name === BY_NUMBER) return trial.number;
  const text = trial.parameters[axis.name];
  if (axis.words === null) return numberOf(text);
  return text === undefined ? null : axis.words.indexOf(text);
}

/** Trials that have a value, by their place on an axis. */
export function pointsOf(trials: Trial[], axis: Axis): Point[] {
  const points = trials.flatMap((trial) => {
    if (trial.value === null || trial.value === undefined) return [];
    const x = placeOf(trial, axis);
    return x === null ? [] : [{ x, y: trial.value, trial }];
  });
  return points.sort((a, b) => a.x - b.x || a.trial.number - b.trial.number);
}

const ROOM = 0.06; // of the span, so that points don't stand on the edge

/** A range with room on both sides, also for a single value; on a log axis by factors. */
export function roomy(low: number, high: number, log: boolean): [number, number] {
  if (log) {
    const factor = Math.max((high / low) ** ROOM, 1.2);
    return [low / factor, high * factor];
  }
  const span = (high - low || Math.abs(high) || 1) * ROOM;
  return [low - span, high + span];
}

/** The range of a horizontal axis: half a place more on both sides of whole numbers and words. */
export function rangeOf(axis: Axis, low: number, high: number): [number, number] {
  if (axis.words) return [-0.5, axis.words.length - 0.5];
  if (axis.name === BY_NUMBER && high - low < 10) return [low - 0.5, high + 0.5];
  return roomy(low, high, axis.log);
}

const LONGEST = 18; // characters of a word below an axis

/** A word as there is room for it below an axis. */
export function shortened(word: string): string {
  const letters = [...word];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : word;
}

/** The best value that had been seen after each point, for those that succeeded. */
export function bestSoFar(points: Point[], goal: "max" | "min"): (number | null)[] {
  let best: number | null = null;
  return points.map(({ y, trial }) => {
    const better = best === null || (goal === "max" ? y > best : y < best);
    if (trial.state === "succeeded" && better) best = y;
    return best;
  });
}

/** The point nearest to a place in pixels, within `reach`. */
export function nearest(
  points: Point[],
  place: (point: Point) => { left: number; top: number },
  at: { left: number; top: number },
  reach = 24,
): Point | null {
  let found: Point | null = null;
  let least = reach;
  for (const point of points) {
    const { left, top } = place(point);
    const far = Math.hypot(left - at.left, top - at.top);
    if (far <= least) {
      least = far;
      found = point;
    }
  }
  return found;
}

export interface Order {
  /** `number`, `value`, `state`, or `p.NAME` for a parameter. */
  by: string;
  down: boolean;
}

export function parseOrder(text: string | undefined): Order {
  const down = text?.startsWith("-") ?? false;
  const by = (down ? text?.slice(1) : text) || "number";
  return { by, down };
}

/** The next order after a click on a column's heading. */
export function nextOrder(now: Order, by: string): string {
  return now.by === by && !now.down ? `-${by}` : by;
}

/** Trials in an order; those without the value stand last, either way. */
export function sorted(trials: Trial[], { by, down }: Order): Trial[] {
  const keyOf = (one: Trial): number | string | null => {
    if (by === "value") return one.value ?? null;
    if (by === "state") return one.state;
    if (!by.startsWith("p.")) return one.number;
    const text = one.parameters[by.slice(2)];
    return numberOf(text) ?? text ?? null;
  };
  return [...trials].sort((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const order =
      typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return (down ? -order : order) || a.number - b.number;
  });
}
