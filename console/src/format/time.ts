/** Times and durations for people, in the page's language. */
import type { Language } from "@/i18n";

/** Seconds as the largest units, two of them: `2 h 5 min`, `14 s`. */
export function formatDuration(
  seconds: number | null | undefined,
  language: Language,
  units = 2,
): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  const words = language === "zh" ? ["天", "小时", "分", "秒"] : ["d", "h", "min", "s"];
  const whole = Math.max(0, Math.round(seconds));
  if (seconds < 10 && seconds % 1 !== 0) return `${seconds.toFixed(1)} ${words[3]}`;
  const parts = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  const first = parts.findIndex((part) => part > 0);
  if (first < 0) return `0 ${words[3]}`;
  return parts
    .slice(first, first + units)
    .map((part, index) => (part > 0 ? `${part} ${words[first + index]}` : ""))
    .filter(Boolean)
    .join(" ");
}

const STEPS: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, "second"],
  [3600, "minute"],
  [86_400, "hour"],
  [30 * 86_400, "day"],
  [365 * 86_400, "month"],
  [Number.POSITIVE_INFINITY, "year"],
];

/** How long ago: `3 minutes ago`, `3 分钟前`. */
export function formatRelative(when: Date, now: Date, language: Language): string {
  const seconds = (when.getTime() - now.getTime()) / 1000;
  const size = Math.abs(seconds);
  const format = new Intl.RelativeTimeFormat(language === "zh" ? "zh-CN" : "en", {
    numeric: "auto",
  });
  if (size < 5) return format.format(0, "second");
  let divisor = 1;
  for (const [limit, unit] of STEPS) {
    // Chinese has a space between figures and words everywhere else on these pages.
    if (size < limit)
      return format
        .format(Math.trunc(seconds / divisor), unit)
        .replace(/(\d)(?=\p{Script=Han})/u, "$1 ");
    divisor = limit;
  }
  return "";
}

/** The exact local time with its zone, for a tooltip. */
export function formatExact(when: Date, language: Language): string {
  return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", {
    dateStyle: "medium",
    timeStyle: "long",
  }).format(when);
}
