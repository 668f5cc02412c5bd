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

/** The columns of the shape that fits best after renaming, and those of it that are missing. */
export function wantedColumns(
  shapes: readonly string[][],
  columns: readonly string[],
  map: Readonly<Record<string, string>>,
): { shape: string[]; missing: string[] } {
  const there = new Set(columns.map((column) => map[column] ?? column));
  let best = { shape: [] as string[], missing: [] as string[] };
  shapes.forEach((shape, index) => {
    const missing = shape.filter((column) => !there.has(column));
    const better = missing.length < best.missing.length;
    const fuller = missing.length === best.missing.length && shape.length > best.shape.length;
    if (index === 0 || better || fuller) best = { shape: [...shape], missing };
  });
  return best;
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
