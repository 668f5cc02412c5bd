/** References of inputs: `job:ID`, `job:ID@checkpoint`. */

/** The job a reference names, or `null`. */
export function jobOf(reference: string): string | null {
  return /^job:([^@/\s]+)/.exec(reference)?.[1] ?? null;
}
