/** Numbers for people: short, and never more exact than helps. */

/** Up to `digits` significant digits; very small and large ones with an exponent. */
export function formatNumber(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return "–";
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return value.toLocaleString("en-US");
  if (size < 1e-4 || size >= 1e7) return trimExponent(value.toExponential(digits - 1));
  return trimZeros(value.toPrecision(digits));
}

const FEWEST = 3;
const MOST = 12;

/** Marks of an axis: as short as they can be while no two say the same. */
export function formatTicks(ticks: (number | null)[]): string[] {
  const shown = (digits: number) =>
    ticks.map((tick) => (tick === null ? "" : formatNumber(tick, digits)));
  const wanted = new Set(ticks).size;
  for (let digits = FEWEST; digits < MOST; digits += 1) {
    const texts = shown(digits);
    if (new Set(texts).size === wanted) return isEven(ticks) ? padded(texts) : texts;
  }
  return shown(MOST);
}

/** Whether the marks stand at equal steps, as they do where the axis is no logarithm. */
function isEven(ticks: (number | null)[]): boolean {
  const known = ticks.filter((tick) => tick !== null);
  const steps = known.slice(1).map((tick, at) => tick - (known[at] ?? 0));
  return steps.every((step) => Math.abs(step - (steps[0] ?? 0)) <= Math.abs(step) * 1e-6);
}

/** With as many decimals each as the one with most; a zero stays as it is. */
function padded(texts: string[]): string[] {
  if (texts.some((text) => text.includes("e"))) return texts;
  const places = (text: string) => text.split(".")[1]?.length ?? 0;
  const most = Math.max(...texts.map(places));
  return texts.map((text) => {
    if (text === "" || text === "0" || places(text) === most) return text;
    return `${text}${text.includes(".") ? "" : "."}${"0".repeat(most - places(text))}`;
  });
}

function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function trimExponent(text: string): string {
  const [mantissa = "", exponent = "0"] = text.split("e");
  return `${trimZeros(mantissa)}e${exponent.replace("+", "")}`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Bytes in powers of 1000, as disks are sold: `1.2 GB`. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return "–";
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : trimZeros(value.toPrecision(3))} ${UNITS[unit]}`;
}

/** A share between 0 and 1 as per cent. */
export function formatPercent(share: number): string {
  return `${trimZeros((share * 100).toFixed(share < 0.1 ? 1 : 0))} %`;
}
