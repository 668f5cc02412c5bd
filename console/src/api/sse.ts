/**
 * Server-sent events over `fetch`: unlike `EventSource` it sends our headers (the language
 * of texts) and sees the status of a refusal, so a sign-out is not retried for ever.
 */
import { pageHeaders, toError } from "./client";

export interface SseEvent {
  event: string;
  data: unknown;
  id: string | null;
}

/** Cuts a stream of text into events; a rest without its empty line waits for more. */
export class SseParser {
  private rest = "";

  push(text: string): SseEvent[] {
    this.rest += text;
    const blocks = this.rest.split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.flatMap(parseBlock);
  }
}

function parseBlock(block: string): SseEvent[] {
  let event = "message";
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 ? [] : [{ event, id, data: JSON.parse(data.join("\n")) }];
}

/** The server says something every 15 s, if only a comment. */
const SILENCE = 40_000; // ms

/** Calls `end` when nothing was heard for too long, or the browser knows the network is away. */
class Watch {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly end: () => void) {
    window.addEventListener("offline", end);
    this.heard();
  }

  heard(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.end, SILENCE);
  }

  close(): void {
    clearTimeout(this.timer);
    window.removeEventListener("offline", this.end);
  }
}

/**
 * Yield the events of one connection until it ends; throws `ApiError` on a refusal. A network
 * that is cut closes nothing: a connection on which all is silent counts as ended.
 */
export async function* connect(url: string, signal: AbortSignal): AsyncGenerator<SseEvent> {
  const response = await fetch(url, {
    headers: { ...pageHeaders(), Accept: "text/event-stream" },
    credentials: "same-origin",
    cache: "no-store",
    signal,
  });
  if (!response.ok || response.body === null) {
    throw toError(await response.json().catch(() => null), response.status);
  }
  yield { event: "open", data: null, id: null };
  const parser = new SseParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const watch = new Watch(() => void reader.cancel().catch(() => undefined));
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      watch.heard();
      yield* parser.push(value);
    }
  } finally {
    watch.close();
  }
}
