/**
 * Reads a whole log and tells the lines that match. It runs beside the page: a pattern that
 * never comes to an end holds up nothing but itself, and is ended with the worker.
 */
import { compile, type Level, levelOf, matches, plain } from "./logModel";

export interface ScanRequest {
  /** The address of the log's pages, without `from_line`. */
  url: string;
  language: string;
  pattern: string;
  level: Level | null;
  /** Stop at the first line that is an error. */
  firstError: boolean;
}

export interface ScanAnswer {
  found: { line: number; text: string }[];
  scanned: number;
  done: boolean;
  failed?: string;
}

const LIMIT = 5000; // lines of one question
export const MOST = 5000; // matches that are kept

interface Page {
  lines: { line: number; text: string }[];
  next_line: number;
  total_lines: number;
}

async function scan(request: ScanRequest): Promise<void> {
  const { pattern } = compile(request.pattern);
  let from = 0;
  let count = 0;
  while (true) {
    const response = await fetch(`${request.url}&from_line=${from}&limit=${LIMIT}`, {
      headers: { "X-StarForge": "console", "Accept-Language": request.language },
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const page = (await response.json()) as Page;
    const wanted = request.firstError
      ? page.lines.filter((line) => levelOf(plain(line.text)) === "error").slice(0, 1)
      : page.lines.filter((line) => matches(line.text, { pattern, level: request.level }));
    count += wanted.length;
    from = page.next_line;
    const enough = count >= MOST || (request.firstError && count > 0);
    const done = enough || page.lines.length === 0 || from >= page.total_lines;
    tell({ found: wanted.slice(0, MOST), scanned: from, done });
    if (done) return;
  }
}

function tell(answer: ScanAnswer): void {
  self.postMessage(answer);
}

self.onmessage = (event: MessageEvent<ScanRequest>) => {
  scan(event.data).catch((error: unknown) => {
    tell({ found: [], scanned: 0, done: true, failed: String(error) });
  });
};
