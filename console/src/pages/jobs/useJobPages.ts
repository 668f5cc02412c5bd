/** Jobs of a view in pages of 100, fetched as they come into view. */
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api, ask, type Job } from "@/api/client";
import { filterOf, type View } from "./view";

export const PAGE_SIZE = 100;

function pageQuery(view: View, page: number) {
  const query = { ...filterOf(view), sort: view.sort, page, size: PAGE_SIZE };
  return {
    queryKey: ["jobs", query],
    queryFn: () => ask(api.GET("/api/v1/jobs", { params: { query } })),
  };
}

export interface JobPages {
  total: number;
  /** The job in a row; `undefined` while its page is on its way. */
  at: (row: number) => Job | undefined;
  /** Loaded jobs by row. */
  loaded: Map<number, Job>;
  /** Ids of the jobs in the pages that hold these rows, asked for where they are not known. */
  around: (row: number, other: number) => Promise<string[]>;
  pending: boolean;
  error: unknown;
  retry: () => void;
}

function pageOf(row: number): number {
  return Math.floor(Math.max(0, row) / PAGE_SIZE) + 1;
}

/** The pages that hold the rows from `first` to `last` (and the first one, for the total). */
export function useJobPages(view: View, first: number, last: number): JobPages {
  const client = useQueryClient();
  const from = pageOf(first);
  const to = pageOf(last);
  const numbers = [1];
  for (let page = Math.max(2, from); page <= to; page += 1) numbers.push(page);
  const found = useQueries({ queries: numbers.map((page) => pageQuery(view, page)) });
  // The rows of before stay until those of a new filter or order are here.
  const before = useRef<{ total: number; loaded: Map<number, Job> }>({
    total: 0,
    loaded: new Map(),
  });
  const head = found[0]?.data;
  if (head) {
    const loaded = new Map<number, Job>();
    found.forEach((one, at) => {
      const start = ((numbers[at] ?? 1) - 1) * PAGE_SIZE;
      one.data?.jobs.forEach((job, index) => void loaded.set(start + index, job));
    });
    before.current = { total: head.total, loaded };
  }
  const { total, loaded } = before.current;
  async function around(row: number, other: number): Promise<string[]> {
    const start = pageOf(Math.min(row, other));
    const count = pageOf(Math.max(row, other)) - start + 1;
    const asked = Array.from({ length: count }, (_, at) =>
      client.ensureQueryData(pageQuery(view, start + at)),
    );
    return (await Promise.all(asked)).flatMap((page) => page.jobs.map((job) => job.id));
  }
  return {
    total,
    loaded,
    around,
    at: (row) => loaded.get(row),
    pending: head === undefined && loaded.size === 0,
    error: found.find((one) => one.error)?.error ?? null,
    retry: () => void Promise.all(found.map((one) => one.refetch())),
  };
}
