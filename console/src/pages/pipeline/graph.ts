/**
 * Where the stages of a pipeline are drawn: in ranks by how many come before them, as layered
 * drawings of graphs are made (Sugiyama, Tagawa, Toda 1981). A line that passes ranks has a place
 * of its own in each of them, so that it runs beside the boxes, not behind them.
 */

export interface Node {
  name: string;
  needs?: string[];
}

export interface Point {
  x: number;
  y: number;
}

export interface Edge {
  from: string;
  to: string;
  /** An SVG path. */
  path: string;
}

export interface Drawing {
  /** The upper left corner of every stage's box. */
  corners: Map<string, Point>;
  edges: Edge[];
  width: number;
  height: number;
}

export interface Sizes {
  width: number;
  height: number;
  /** Between ranks, and between what stands side by side in one. */
  rankGap: number;
  laneGap: number;
  /** Ranks below each other instead of side by side. */
  down: boolean;
}

/** Something that takes up room in a rank: a stage, or the lines that pass it from one. */
interface Item {
  key: string;
  passes: boolean;
  /** What stands before it, by key. */
  before: string[];
}

const PASSING = 10; // px across, of lines that pass a rank

/** The rank of every stage; names that no stage has are left out, and circles end somewhere. */
export function ranksOf(stages: Node[]): Map<string, number> {
  const byName = new Map(stages.map((one) => [one.name, one]));
  const ranks = new Map<string, number>();
  function rank(name: string, above: Set<string>): number {
    const known = ranks.get(name);
    if (known !== undefined) return known;
    const below = new Set(above).add(name);
    const needs = (byName.get(name)?.needs ?? []).filter(
      (one) => byName.has(one) && !below.has(one),
    );
    const found = needs.reduce((most, one) => Math.max(most, rank(one, below) + 1), 0);
    ranks.set(name, found);
    return found;
  }
  for (const one of stages) rank(one.name, new Set());
  return ranks;
}

interface Need {
  from: string;
  to: string;
}

/** Who waits for whom, without what leads backwards. */
function needsOf(stages: Node[], ranks: Map<string, number>): Need[] {
  return stages.flatMap(({ name: to, needs }) =>
    (needs ?? [])
      .filter((from) => (ranks.get(from) ?? Number.POSITIVE_INFINITY) < (ranks.get(to) ?? 0))
      .map((from) => ({ from, to })),
  );
}

/** The key of what comes from a stage to a rank: the stage itself, or its lines passing. */
function keyAt(from: string, rank: number, ranks: Map<string, number>): string {
  return ranks.get(from) === rank ? from : `${rank} ${from}`;
}

/** What stands in each rank, in the order of the file, lines last. */
function itemsOf(stages: Node[], needs: Need[], ranks: Map<string, number>): Item[][] {
  const count = Math.max(0, ...[...ranks.values()].map((one) => one + 1));
  const rows: Item[][] = Array.from({ length: count }, () => []);
  for (const { name } of stages) {
    const rank = ranks.get(name) ?? 0;
    const before = needs
      .filter((one) => one.to === name)
      .map((one) => keyAt(one.from, rank - 1, ranks));
    rows[rank]?.push({ key: name, passes: false, before });
  }
  for (const { name } of stages) {
    const first = ranks.get(name) ?? 0;
    const last = Math.max(
      first,
      ...needs.filter((one) => one.from === name).map((one) => ranks.get(one.to) ?? 0),
    );
    for (let rank = first + 1; rank < last; rank += 1) {
      const before = [keyAt(name, rank - 1, ranks)];
      rows[rank]?.push({ key: keyAt(name, rank, ranks), passes: true, before });
    }
  }
  return rows;
}

/** Where everything begins and ends across its rank, by key. */
function placesOf(rows: Item[][], size: number, gap: number): Map<string, [number, number]> {
  const places = new Map<string, [number, number]>();
  const middle = (key: string) => {
    const [start = 0, end = 0] = places.get(key) ?? [];
    return (start + end) / 2;
  };
  for (const row of rows) {
    // The barycentre method: each stands near the middle of what it comes from.
    const wishes = row.map((item, at) => ({
      item,
      at,
      wish: item.before.length
        ? item.before.reduce((sum, key) => sum + middle(key), 0) / item.before.length
        : at * size,
    }));
    wishes.sort((a, b) => a.wish - b.wish || a.at - b.at);
    let free = 0;
    for (const { item, wish } of wishes) {
      const own = item.passes ? PASSING : size;
      const start = item.before.length ? Math.max(free, wish - own / 2) : free;
      places.set(item.key, [start, start + own]);
      free = start + own + gap;
    }
  }
  return places;
}

/** Draw the stages. */
export function draw(stages: Node[], sizes: Sizes): Drawing {
  const { width, height, rankGap, laneGap, down } = sizes;
  const [along, across] = down ? [height, width] : [width, height];
  const ranks = ranksOf(stages);
  const needs = needsOf(stages, ranks);
  const rows = itemsOf(stages, needs, ranks);
  const places = placesOf(rows, across, laneGap);
  const at = (rank: number) => rank * (along + rankGap);
  const turned = (a: number, b: number): Point => (down ? { x: b, y: a } : { x: a, y: b });

  const corners = new Map(
    stages.map(({ name }) => [name, turned(at(ranks.get(name) ?? 0), places.get(name)?.[0] ?? 0)]),
  );
  const edges = needs.map(({ from, to }) => {
    const points: Point[] = [];
    const [first, last] = [ranks.get(from) ?? 0, ranks.get(to) ?? 0];
    for (let rank = first; rank <= last; rank += 1) {
      const key = rank === last ? to : keyAt(from, rank, ranks);
      const [start = 0, end = 0] = places.get(key) ?? [];
      const middle = (start + end) / 2;
      if (rank > first) points.push(turned(at(rank), middle));
      if (rank < last) points.push(turned(at(rank) + along, middle));
    }
    return { from, to, path: pathOf(points, down) };
  });
  const ends = [...places.values()].map(([, end]) => end);
  const size = turned(Math.max(0, rows.length * (along + rankGap) - rankGap), Math.max(0, ...ends));
  return { corners, edges, width: size.x, height: size.y };
}

/** Curves between ranks, straight lines through them: every second point is an end of a rank. */
function pathOf(points: Point[], down: boolean): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${first.x} ${first.y}`;
  let before = first;
  rest.forEach((point, index) => {
    if (index % 2) {
      path += `L${point.x} ${point.y}`;
    } else {
      const half = (down ? point.y - before.y : point.x - before.x) / 2;
      const [a, b] = down
        ? [`${before.x} ${before.y + half}`, `${point.x} ${point.y - half}`]
        : [`${before.x + half} ${before.y}`, `${point.x - half} ${point.y}`];
      path += `C${a} ${b} ${point.x} ${point.y}`;
    }
    before = point;
  });
  return path;
}
