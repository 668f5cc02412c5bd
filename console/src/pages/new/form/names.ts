/** Names for new jobs. */

/** `sft` → `sft-2`, `sft-2` → `sft-3`: the name of a job made from another. */
export function nextName(name: string): string {
  const found = /^(.*?)-(\d{1,6})$/.exec(name);
  return found ? `${found[1]}-${Number(found[2]) + 1}` : `${name}-2`;
}
