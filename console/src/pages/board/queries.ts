/** What the board and the comparison of scores read from the server. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { Wanted } from "./compared";

// ms between looks beside those when a job ends: what others add, and what is found out later
// about training data, comes without a word.
const NOW_AND_THEN = 30_000;

export const boardQuery = queryOptions({
  queryKey: ["board"],
  queryFn: () => ask(api.GET("/api/v1/board")),
  refetchInterval: NOW_AND_THEN,
});

export const externalQuery = queryOptions({
  queryKey: ["board", "external"],
  queryFn: () => ask(api.GET("/api/v1/board/external")),
  refetchInterval: NOW_AND_THEN,
});

export const comparedQuery = ({ a, b, anyway }: Wanted) =>
  queryOptions({
    queryKey: ["board", "compare", a, b, anyway],
    queryFn: () => ask(api.GET("/api/v1/board/compare", { params: { query: { a, b, anyway } } })),
    enabled: a !== "" && b !== "",
    placeholderData: keepPreviousData,
  });

/** The results of two jobs on one benchmark. */
export const pairQuery = ({ pack: benchmark, pair, anyway }: Wanted) => {
  const [a, b] = pair ?? ["", ""];
  const query = { a, b, benchmark, anyway };
  return queryOptions({
    queryKey: ["board", "compare", "pair", query],
    queryFn: () => ask(api.GET("/api/v1/board/compare", { params: { query } })),
    enabled: pair !== null,
  });
};

export const ITEMS = 20; // on one page

/** `a` and `b` are the jobs of one comparison, so that every page is of the same results. */
export const itemsQuery = (a: string, b: string, benchmark: string, wanted: Wanted) => {
  const { show, search, page } = wanted;
  const asked = { a, b, benchmark, show, limit: ITEMS, offset: (page - 1) * ITEMS };
  const query = search ? { ...asked, search } : asked;
  return queryOptions({
    queryKey: ["board", "compare", "items", query],
    queryFn: () => ask(api.GET("/api/v1/board/compare/items", { params: { query } })),
    placeholderData: keepPreviousData,
  });
};
