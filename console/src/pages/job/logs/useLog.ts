/** The lines of one log: pages as they come into view, the newest while it is followed. */
import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, ask } from "@/api/client";

export interface Which {
  attempt?: number;
  role?: string;
  rank?: number;
}

export const PAGE = 500; // lines of one question
const LIVE = 1500; // ms between two looks at a log that still grows

const logPage = (job: string, which: Which, from: number) =>
  ask(
    api.GET("/api/v1/jobs/{job}/logs", {
      params: { path: { job }, query: { ...which, from_line: from, limit: PAGE } },
    }),
  );

const headQuery = (job: string, which: Which, live: boolean) =>
  queryOptions({
    queryKey: ["job", job, "log", which, "head"],
    queryFn: () =>
      ask(
        api.GET("/api/v1/jobs/{job}/logs", {
          params: { path: { job }, query: { ...which, tail: 1 } },
        }),
      ),
    refetchInterval: live ? LIVE : false,
  });

/**
 * `first` and `last` are the lines in view. A page that was not full is asked for again when
 * the log has grown beyond it; full pages never change.
 */
export function useLog(job: string, which: Which, live: boolean, first: number, last: number) {
  const head = useQuery(headQuery(job, which, live));
  const total = head.data?.total_lines ?? 0;
  const stream = head.data?.stream ?? null;
  const pages = useMemo(() => {
    const from = Math.max(0, Math.floor(first / PAGE));
    const to = Math.floor(Math.max(last, 0) / PAGE);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  }, [first, last]);
  const answers = useQueries({
    queries: pages.map((page) => {
      const end = Math.min((page + 1) * PAGE, total);
      return {
        queryKey: ["job", job, "log", which, page, end],
        queryFn: () => logPage(job, which, page * PAGE),
        enabled: total > page * PAGE,
        staleTime: Number.POSITIVE_INFINITY,
      };
    }),
  });
  const lines = new Map<number, { text: string; cut: number }>();
  for (const answer of answers) {
    for (const line of answer.data?.lines ?? []) {
      lines.set(line.line, { text: line.text, cut: line.cut ?? 0 });
    }
  }
  return {
    total,
    stream,
    streams: head.data?.streams ?? [],
    lines,
    error: head.error ?? answers.find((answer) => answer.error)?.error ?? null,
    pending: head.isPending,
    retry: () => void head.refetch(),
  };
}
