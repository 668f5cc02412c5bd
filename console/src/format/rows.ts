/** The first rows of data for a preview, and which columns the method wants of them. */

export type Row = Record<string, unknown>;

/** Rows of JSON lines; a last line that was cut off, and what is no object, is left out. */
export function firstRows(text: string, most: number): Row[] {
  const rows: Row[] = [];
  for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
    if (rows.length >= most) break;
    try {
      const row: unknown = JSON.parse(line);
      if (typeof row === "object" && row !== null && !Array.isArray(row)) rows.push(row as Row);
    } catch {
      // not a row
    }
  }
  return rows;
}

export function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/** Which columns of a shape the data lack, after renaming. */
export function missingOf(
  shape: readonly string[],
  columns: readonly string[],
  map: Readonly<Record<string, string>>,
): string[] {
  const there = new Set(columns.map((column) => map[column] ?? column));
  return shape.filter((column) => !there.has(column));
}

/** The place of the shape that fits best: the smallest part missing, then the nearest size. */
export function bestShape(
  shapes: readonly (readonly string[])[],
  columns: readonly string[],
  map: Readonly<Record<string, string>>,
): number {
  const cost = shapes.map((shape) => [
    missingOf(shape, columns, map).length / Math.max(1, shape.length),
    Math.abs(shape.length - columns.length),
  ]);
  const order = shapes.map((_, place) => place);
  order.sort((a, b) => {
    const [one = [], two = []] = [cost[a], cost[b]];
    return (one[0] ?? 0) - (two[0] ?? 0) || (one[1] ?? 0) - (two[1] ?? 0);
  });
  return order[0] ?? 0;
}

/** `map` with `wanted` read from `column`; an empty column takes the entry away. */
export function mapped(
  map: Readonly<Record<string, string>>,
  wanted: string,
  column: string,
): Record<string, string> {
  const rest = Object.fromEntries(
    Object.entries(map).filter(([from, to]) => to !== wanted && from !== column),
  );
  return column && column !== wanted ? { ...rest, [column]: wanted } : rest;
}

/** One cell of a preview: conversations by their last message, the rest as it is. */
export function cellText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every(isMessage) && value.length > 0) {
    return value.map((one) => `${one.role}: ${String(one.content)}`).join("\n");
  }
  return JSON.stringify(value) ?? "";
}

function isMessage(value: unknown): value is { role: string; content: unknown } {
  return typeof value === "object" && value !== null && "role" in value && "content" in value;
}
