/** Drafts that outlive a reload, a closed tab and a restart of the server. */
import type { Draft } from "./draft";

const KEY = "starforge.drafts";
const MOST = 12;

interface Kept {
  at: number;
  draft: Draft;
  /** Part of the idempotency key: one draft is submitted once. */
  nonce: string;
}

type Drafts = Record<string, Kept>;

function all(): Drafts {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof found === "object" && found !== null ? (found as Drafts) : {};
  } catch {
    return {};
  }
}

function write(drafts: Drafts): void {
  const newest = Object.entries(drafts)
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, MOST);
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(newest)));
  } catch {
    // Full, or switched off: the form works on, only a reload would lose it.
  }
}

/** All drafts of this browser, the newest first. */
export function keptDrafts(): { address: string; at: number; draft: Draft }[] {
  return Object.entries(all())
    .filter(([, kept]) => typeof kept?.draft?.method === "string")
    .map(([address, { at, draft }]) => ({ address, at, draft }))
    .sort((a, b) => b.at - a.at);
}

/** The draft kept for an address, with every key that a draft of today has. */
export function keptDraft(address: string, start: Draft): Kept | null {
  const kept = all()[address];
  if (!kept || kept.draft?.method !== start.method || kept.draft.base !== start.base) return null;
  return { ...kept, draft: { ...start, ...kept.draft } };
}

export function keepDraft(address: string, draft: Draft, nonce: string): void {
  write({ ...all(), [address]: { at: Date.now(), draft, nonce } });
}

export function dropDraft(address: string): void {
  const { [address]: _, ...rest } = all();
  write(rest);
}

/** A text nobody else has; works on pages served without TLS, too. */
export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
