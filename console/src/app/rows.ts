/** `j`, `k` and Enter in a list whose rows have ids. */
import { useEffect, useState } from "react";
import { useKeys } from "./keys";

/** The row after `marked` in a direction; stays at the ends, starts at the first. */
export function nextRow(ids: string[], marked: string | undefined, by: 1 | -1): string | undefined {
  const place = marked === undefined ? -1 : ids.indexOf(marked);
  if (place < 0) return ids[0];
  return ids[Math.min(Math.max(place + by, 0), ids.length - 1)];
}

/**
 * Move a mark through rows (kept by the caller, in the address say) and open the marked one.
 * The element of a row has the id `row-ID`. Enter on a link or button is theirs.
 */
export function useRowKeys(
  ids: string[],
  marked: string | undefined,
  mark: (id: string) => void,
  open: (id: string) => void,
): void {
  const move = (by: 1 | -1) => {
    const next = nextRow(ids, marked, by);
    if (next !== undefined) mark(next);
  };
  const enter = (event: KeyboardEvent) => {
    const focused = event.target instanceof HTMLElement && event.target.closest("a,button");
    if (focused instanceof HTMLElement) focused.click();
    else if (marked !== undefined && ids.includes(marked)) open(marked);
  };
  useKeys({ j: () => move(1), k: () => move(-1), Enter: enter });
  useEffect(() => {
    if (marked === undefined) return;
    document.getElementById(`row-${marked}`)?.scrollIntoView({ block: "nearest" });
  }, [marked]);
}

/** The same with a mark of its own. */
export function useRows(ids: string[], open: (id: string) => void): string | undefined {
  const [marked, setMarked] = useState<string>();
  useRowKeys(ids, marked, setMarked, open);
  return marked;
}
