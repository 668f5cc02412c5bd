/** Lines of logs: levels, the first error, colours. Pure, tested beside. */
import Anser from "anser";

export type Level = "error" | "warning" | "info";

export interface Line {
  line: number;
  text: string;
}

const ERROR =
  /\b(?:\w*error|\w*exception|fatal|critical|traceback|segmentation fault|out of memory|killed)\b/i;
const WARNING = /\b\w*warn(?:ing)?\b/i;
/** Words that hold "error" and mean none: counters of zero, names of options. */
const HARMLESS = /\b(?:0|no) errors?\b|errors?\s*[:=]\s*0\b|--\S*error/i;

/** How serious a line is, by its words. */
export function levelOf(text: string): Level {
  if (ERROR.test(text) && !HARMLESS.test(text)) return "error";
  return WARNING.test(text) ? "warning" : "info";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape codes of terminals
const ESCAPES = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007/g;

/** A line without escape codes. */
export function plain(text: string): string {
  return text.replace(ESCAPES, "");
}

/** What a terminal would show: a carriage return starts the line over (progress bars). */
export function lastRewrite(text: string): string {
  const parts = text.replace(/\r+$/, "").split("\r");
  return parts.at(-1) ?? "";
}

export interface Piece {
  text: string;
  color: string | null;
  bold: boolean;
  faint: boolean;
}

/** Cut a line into coloured pieces; colours are names (`red`, `bright-blue`), never styles. */
export function pieces(text: string): Piece[] {
  const shown = lastRewrite(text);
  if (!shown.includes("\u001b")) return [{ text: shown, color: null, bold: false, faint: false }];
  return Anser.ansiToJson(shown, { use_classes: true, remove_empty: true }).map((chunk) => ({
    text: plain(chunk.content),
    color: chunk.fg ? chunk.fg.replace(/^ansi-/, "") : null,
    bold: chunk.decorations.includes("bold"),
    faint: chunk.decorations.includes("dim"),
  }));
}

export interface Wanted {
  pattern: RegExp | null;
  level: Level | null;
}

/** The pattern a person typed; null with a reason when it is none. */
export function compile(text: string): { pattern: RegExp | null; problem: string | null } {
  if (!text) return { pattern: null, problem: null };
  try {
    return { pattern: new RegExp(text, "i"), problem: null };
  } catch (error) {
    return { pattern: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether a line is wanted: of the level or worse, and with the pattern in it. */
export function matches(text: string, wanted: Wanted): boolean {
  const bare = plain(text);
  if (wanted.level === "error" && levelOf(bare) !== "error") return false;
  if (wanted.level === "warning" && levelOf(bare) === "info") return false;
  return wanted.pattern === null || wanted.pattern.test(bare);
}
