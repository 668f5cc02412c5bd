/** config.yaml, edited as the text it is. */

/** `text` with a line for a native key; a key that stands in it already stays as it is. */
export function withKey(text: string, path: string, value: unknown): string {
  const lines = text.split("\n");
  const start = new RegExp(`^['"]?${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}['"]?\\s*:`);
  if (lines.some((line) => start.test(line))) return text;
  const before = text.trimEnd();
  return `${before}${before ? "\n" : ""}${path}: ${yamlText(value)}\n`;
}

/** A value on one line of YAML: JSON is YAML; plain words need no quotes. */
export function yamlText(value: unknown): string {
  if (typeof value === "string" && PLAIN.test(value) && !WORDS.test(value)) return value;
  return JSON.stringify(value ?? null);
}

const PLAIN = /^[A-Za-z_][\w./-]*$/;
const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i;
