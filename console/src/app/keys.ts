/** The keyboard: `/` searches, `?` helps, `g` then a letter goes somewhere, `j`/`k` move. */
import { useEffect, useRef } from "react";

/** Whether keys belong to what has the focus (a field, an open dialog). */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) ||
    target.closest("[role=dialog],[role=listbox]") !== null
  );
}

export type Bindings = Record<string, (event: KeyboardEvent) => void>;
const CHORD = 1200; // ms for the second key

/** Bind keys while mounted: `"j"`, `"?"`, or two after each other, `"g j"`. */
export function useKeys(bindings: Bindings): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    let first: { key: string; at: number } | null = null;
    function onKey(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const chord =
        first && event.timeStamp - first.at < CHORD ? `${first.key} ${event.key}` : event.key;
      first = null;
      const action = latest.current[chord];
      if (action) {
        event.preventDefault();
        action(event);
      } else if (Object.keys(latest.current).some((name) => name.startsWith(`${event.key} `))) {
        first = { key: event.key, at: event.timeStamp };
      }
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** Put the cursor into the page's search field. */
export function focusSearch(): void {
  document.querySelector<HTMLInputElement>("input[data-search]")?.focus();
}
