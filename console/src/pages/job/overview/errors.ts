/** Finding what went wrong in a log. */

export interface Line {
  line: number;
  text: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

/** Text without the sequences that colour a terminal. */
export function withoutAnsi(text: string): string {
  return text.replace(ANSI, "");
}

const ERROR =
  /^\s*Traceback \(most recent call last\)|^\s*[\w.]*(Error|Exception)\b\s*:|\b(ERROR|FATAL|CRITICAL)\b|\berror:|out of memory|Segmentation fault/;

/** The first line that tells of an error. */
export function firstError(lines: Line[]): Line | null {
  return lines.find(({ text }) => ERROR.test(withoutAnsi(text))) ?? null;
}
