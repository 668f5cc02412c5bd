/** The tabs of a job's page, in their order; each has an address of its own. */
export const TABS = [
  "overview",
  "charts",
  "samples",
  "logs",
  "system",
  "config",
  "artifacts",
  "record",
] as const;

export type TabName = (typeof TABS)[number];

/** The tab an address names; without one the overview, `null` when there is no such tab. */
export function tabOf(name: string | undefined): TabName | null {
  if (name === undefined) return "overview";
  return TABS.find((one) => one === name) ?? null;
}
