/** Keeps a stream of events open across server restarts and cut networks. */
import { useEffect, useRef } from "react";
import { ApiError } from "./client";
import { connect, type SseEvent } from "./sse";

const FIRST_WAIT = 500; // ms
const LONGEST_WAIT = 10_000;

export interface Follow {
  /** The address to (re)connect to; called anew each time, so it can ask from where it stood. */
  url: () => string;
  onEvent: (event: SseEvent) => void;
  /** Whether the stream is connected now. */
  onState?: (connected: boolean) => void;
  /** An event after which the stream is not opened again. */
  last?: string;
}

/** Follow until `signal` is aborted, the `last` event came, or the server refuses for good. */
export async function follow(options: Follow, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      for await (const event of connect(options.url(), signal)) {
        if (event.event === "open") {
          wait = FIRST_WAIT;
          options.onState?.(true);
          continue;
        }
        options.onEvent(event);
        if (event.event === options.last) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && !error.away && error.status < 500) {
        options.onState?.(false);
        return;
      }
    }
    if (signal.aborted) return;
    options.onState?.(false);
    await sleep(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    }
    // A network that comes back need not wait out the pause.
    window.addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}

/** Follow while the component is mounted and `enabled`; `key` starts it anew. */
export function useFollow(options: Follow, key: string, enabled = true): void {
  const latest = useRef(options);
  latest.current = options;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for what the URL says
  useEffect(() => {
    if (!enabled) return;
    const abort = new AbortController();
    const current: Follow = {
      url: () => latest.current.url(),
      onEvent: (event) => latest.current.onEvent(event),
      onState: (connected) => latest.current.onState?.(connected),
    };
    if (latest.current.last !== undefined) current.last = latest.current.last;
    void follow(current, abort.signal);
    return () => abort.abort();
  }, [key, enabled]);
}
