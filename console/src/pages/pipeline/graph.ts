/** Where the stages of a pipeline stand: in ranks by how many come before them, in lanes. */

export interface Node {
  name: string;
  needs?: string[];
}

export interface Placed {
  name: string;
  /** How many stages come before it, on the longest way. */
  rank: number;
  /** Its place among those of its rank. */
  lane: number;
}

export interface Edge {
  from: string;
  to: string;
}

export interface Layout {
  nodes: Placed[];
  edges: Edge[];
  ranks: number;
  lanes: number;
}

/** The rank of every stage; names that no stage has are left out, and circles end somewhere. */
function ranksOf(stages: Node[]): Map<string, number> {
  const byName = new Map(stages.map((one) => [one.name, one]));
  const ranks = new Map<string, number>();
  function rank(name: string, above: Set<string>): number {
    const known = ranks.get(name);
    if (known !== undefined) return known;
    const needs = (byName.get(name)?.needs ?? []).filter(
      (one) => byName.has(one) && !above.has(one),
    );
    const below = new Set(above).add(name);
    const found = needs.reduce((most, one) => Math.max(most, rank(one, below) + 1), 0);
    ranks.set(name, found);
    return found;
  }
  for (const one of stages) rank(one.name, new Set());
  return ranks;
}

function mean(values: number[]): number | null {
  return values.length ? values.reduce((sum, one) => sum + one, 0) / values.length : null;
}

/**
 * Place the stages. Within a rank they stand in the order of what they need (the mean of its
 * lanes, the barycentre method of layered graph drawing), else as the file has them.
 */
export function layout(stages: Node[]): Layout {
  const ranks = ranksOf(stages);
  const lanes = new Map<string, number>();
  const nodes: Placed[] = [];
  const count = Math.max(0, ...[...ranks.values()].map((one) => one + 1));
  for (let rank = 0; rank < count; rank += 1) {
    const here = stages
      .map((stage, at) => ({ stage, at }))
      .filter(({ stage }) => ranks.get(stage.name) === rank)
      .map(({ stage, at }) => {
        const above = (stage.needs ?? []).flatMap((one) => lanes.get(one) ?? []);
        return { name: stage.name, at, wish: mean(above) ?? at };
      })
      .sort((a, b) => a.wish - b.wish || a.at - b.at);
    here.forEach(({ name }, lane) => {
      lanes.set(name, lane);
      nodes.push({ name, rank, lane });
    });
  }
  const edges = stages.flatMap((one) =>
    (one.needs ?? []).filter((need) => ranks.has(need)).map((from) => ({ from, to: one.name })),
  );
  return {
    nodes,
    edges,
    ranks: count,
    lanes: Math.max(0, ...[...lanes.values()].map((l) => l + 1)),
  };
}

export interface Box {
  x: number;
  y: number;
}

export interface Sizes {
  width: number;
  height: number;
  /** Between ranks and between lanes. */
  rankGap: number;
  laneGap: number;
  /** Ranks below each other instead of side by side. */
  down: boolean;
}

/** The upper left corner of a stage's box. */
export function cornerOf(node: Placed, sizes: Sizes): Box {
  const { width, height, rankGap, laneGap, down } = sizes;
  return down
    ? { x: node.lane * (width + laneGap), y: node.rank * (height + rankGap) }
    : { x: node.rank * (width + rankGap), y: node.lane * (height + laneGap) };
}

/** The size of the whole picture. */
export function extent(of: Layout, sizes: Sizes): { width: number; height: number } {
  const last = cornerOf({ name: "", rank: of.ranks - 1, lane: of.lanes - 1 }, sizes);
  return { width: last.x + sizes.width, height: last.y + sizes.height };
}

/** A curve from the end of one box to the beginning of another. */
export function curve(from: Box, to: Box, sizes: Sizes): string {
  const { width, height, down } = sizes;
  if (down) {
    const [x1, y1, x2, y2] = [from.x + width / 2, from.y + height, to.x + width / 2, to.y];
    const half = (y2 - y1) / 2;
    return `M${x1} ${y1}C${x1} ${y1 + half} ${x2} ${y2 - half} ${x2} ${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x + width, from.y + height / 2, to.x, to.y + height / 2];
  const half = Math.min((x2 - x1) / 2, sizes.rankGap);
  return `M${x1} ${y1}C${x1 + half} ${y1} ${x2 - half} ${y2} ${x2} ${y2}`;
}
