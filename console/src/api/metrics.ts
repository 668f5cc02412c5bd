/** Curves: many names in one question, in as many buckets as a chart has use for. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, ask } from "./client";

export interface CurveWindow {
  lo?: number;
  hi?: number;
  x?: "step" | "time";
  buckets?: number;
}

const LIVE = 2000; // ms between two looks at a job that still writes

/** Curves of `names` of a job; asked for again while it is `live`. */
export const curvesQuery = (job: string, names: string[], window: CurveWindow, live = false) =>
  queryOptions({
    queryKey: ["job", job, "metrics", names, window],
    queryFn: () =>
      ask(
        api.GET("/api/v1/jobs/{job}/metrics", {
          params: { path: { job }, query: { name: names, ...window } },
        }),
      ),
    enabled: names.length > 0,
    refetchInterval: live ? LIVE : false,
    staleTime: live ? 0 : 60_000,
    placeholderData: keepPreviousData,
  });

/** Every point of one curve, as it was logged. */
export function wholeCurve(job: string, name: string) {
  return ask(
    api.GET("/api/v1/jobs/{job}/metrics", {
      params: { path: { job }, query: { name: [name] } },
    }),
  ).then((curves) => curves[name]);
}
