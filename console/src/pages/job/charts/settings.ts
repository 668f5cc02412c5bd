/** How charts are shown: kept in the address (axis, zoom, smoothing) and per method (order, pins). */
import { readLocalStorageValue, useLocalStorage } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import type { XKind } from "./chartData";

export interface ChartSettings {
  x: XKind;
  smoothing: number;
  logX: boolean;
  logY: boolean;
  /** The zoomed range, in units of the axis that the server knows: steps or Unix seconds. */
  lo?: number;
  hi?: number;
  filter: string;
}

/** Read settings from the address; nonsense counts as not given. */
export function parseSettings(search: Record<string, string | undefined>): ChartSettings {
  const number = (text: string | undefined): number | undefined => {
    const value = text === undefined ? Number.NaN : Number(text);
    return Number.isFinite(value) ? value : undefined;
  };
  const smoothing = number(search.smooth) ?? 0;
  const [lo, hi] = [number(search.lo), number(search.hi)];
  const x = search.x === "time" || search.x === "tokens" ? search.x : "step";
  return {
    x,
    smoothing: Math.min(Math.max(smoothing, 0), 0.99),
    logX: search.log === "x" || search.log === "xy",
    logY: search.log === "y" || search.log === "xy",
    filter: search.metric ?? "",
    ...(lo !== undefined && hi !== undefined && lo < hi ? { lo, hi } : {}),
  };
}

/** Settings as the address has them: what is as usual is left out. */
export function toSearch(settings: ChartSettings): Record<string, string | undefined> {
  const log = `${settings.logX ? "x" : ""}${settings.logY ? "y" : ""}`;
  return {
    x: settings.x === "step" ? undefined : settings.x,
    smooth: settings.smoothing > 0 ? String(settings.smoothing) : undefined,
    log: log || undefined,
    lo: settings.lo === undefined ? undefined : String(settings.lo),
    hi: settings.hi === undefined ? undefined : String(settings.hi),
    metric: settings.filter || undefined,
  };
}

export function useChartSettings(): [ChartSettings, (change: Partial<ChartSettings>) => void] {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const settings = useMemo(() => parseSettings(search), [search]);
  const change = useCallback(
    (next: Partial<ChartSettings>) =>
      void navigate({
        to: ".",
        search: ((old: Record<string, string>) => ({
          ...old,
          ...toSearch({ ...parseSettings(old), ...next }),
        })) as never,
        replace: true,
      }),
    [navigate],
  );
  return [settings, change];
}

export interface Arrangement {
  pinned: string[];
  order: string[];
}

const NOTHING: Arrangement = { pinned: [], order: [] };
const arrangementKey = (method: string) => `starforge.charts.${method}`;

/** Which charts stand on top and in what order, kept in this browser per method. */
export function useArrangement(method: string) {
  const [kept, keep] = useLocalStorage<Arrangement>({
    key: arrangementKey(method),
    defaultValue: NOTHING,
    getInitialValueInEffect: false,
  });
  return { arrangement: kept, arrange: keep };
}

/** The same, outside of a component. */
export function keptArrangement(method: string): Arrangement {
  return readLocalStorageValue<Arrangement>({
    key: arrangementKey(method),
    defaultValue: NOTHING,
  });
}
