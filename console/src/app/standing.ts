/** Whether this browser is signed in, as far as the server's last word goes. */
import { ApiError } from "@/api/client";

/** `ended`: it was signed in while this page was open, and is no more. */
export type Standing = "unknown" | "in" | "out" | "ended";

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.signedOut;
}

/**
 * What the standing is after an answer. While the server is asked again, or is away, nothing
 * changes: neither a page in use nor a half-typed token may vanish then.
 */
export function standing(before: Standing, known: boolean, error: unknown): Standing {
  if (isSignedOut(error)) return before === "in" || before === "ended" ? "ended" : "out";
  return known && !error ? "in" : before;
}
