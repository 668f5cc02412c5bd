/** Runs the scanning worker for what is asked for now; an older scan is ended. */
import { useEffect, useState } from "react";
import { currentLanguage } from "@/i18n";
import type { Level, Line } from "./logModel";
import type { ScanAnswer, ScanRequest } from "./scan.worker";
import type { Which } from "./useLog";

export interface Scan {
  found: Line[];
  scanned: number;
  done: boolean;
  failed: string | null;
}

const NOTHING: Scan = { found: [], scanned: 0, done: true, failed: null };

export function logUrl(job: string, which: Which): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(which)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `/api/v1/jobs/${encodeURIComponent(job)}/logs?${query}`;
}

function start(request: ScanRequest, hear: (answer: ScanAnswer) => void): () => void {
  const worker = new Worker(new URL("./scan.worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = (event: MessageEvent<ScanAnswer>) => hear(event.data);
  worker.onerror = (event) => hear({ found: [], scanned: 0, done: true, failed: event.message });
  worker.postMessage(request);
  return () => worker.terminate();
}

/** All lines with the pattern and of the level; `again` starts over (the log has grown). */
export function useScan(url: string, pattern: string, level: Level | null, again: number): Scan {
  const [scan, setScan] = useState<Scan>(NOTHING);
  const wanted = pattern !== "" || level !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` asks anew
  useEffect(() => {
    if (!wanted) {
      setScan(NOTHING);
      return;
    }
    let found: Line[] = [];
    const request = { url, pattern, level, firstError: false, language: currentLanguage() };
    return start(request, (answer) => {
      found = found.concat(answer.found);
      const failed = answer.failed ?? null;
      setScan({ found, scanned: answer.scanned, done: answer.done, failed });
    });
  }, [url, pattern, level, again, wanted]);
  return scan;
}

/** The number of the first line that is an error; null when there is none. */
export function findFirstError(url: string): Promise<number | null> {
  return new Promise((resolve) => {
    const request = {
      url,
      pattern: "",
      level: null,
      firstError: true,
      language: currentLanguage(),
    };
    const end = start(request, (answer) => {
      const line = answer.found[0]?.line;
      if (line === undefined && !answer.done) return;
      end();
      resolve(line ?? null);
    });
  });
}
