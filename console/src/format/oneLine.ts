/** A text of several lines on one; after a full-width mark, which has room in it, no space. */
export function oneLine(text: string): string {
  return text.trim().replace(/([：。，；！？、])?\s*\n\s*/g, (_, mark?: string) => mark ?? " ");
}
