/** What pages read from the server, one query a resource. Keys start with the resource's name. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, ask } from "./client";

export const serverQuery = queryOptions({
  queryKey: ["server"],
  queryFn: () => ask(api.GET("/api/v1/server")),
  refetchInterval: 15_000,
});

export interface MethodFilter {
  data?: string;
  framework?: string;
  search?: string;
}

export const methodsQuery = (filter: MethodFilter = {}) =>
  queryOptions({
    queryKey: ["methods", filter],
    queryFn: () => ask(api.GET("/api/v1/methods", { params: { query: filter } })),
    staleTime: 5 * 60_000,
    placeholderData: keepPreviousData,
  });

export const methodQuery = (name: string) => {
  const [framework = "", method = ""] = name.split("/");
  return queryOptions({
    queryKey: ["method", name],
    queryFn: () =>
      ask(
        api.GET("/api/v1/methods/{framework}/{name}", {
          params: { path: { framework, name: method } },
        }),
      ),
    staleTime: 5 * 60_000,
  });
};

export const jobQuery = (job: string) =>
  queryOptions({
    queryKey: ["job", job],
    queryFn: () => ask(api.GET("/api/v1/jobs/{job}", { params: { path: { job } } })),
  });

export const jobEventsQuery = (job: string) =>
  queryOptions({
    queryKey: ["job", job, "events"],
    queryFn: () => ask(api.GET("/api/v1/jobs/{job}/events", { params: { path: { job } } })),
  });

export const seriesQuery = (job: string) =>
  queryOptions({
    queryKey: ["job", job, "series"],
    queryFn: () => ask(api.GET("/api/v1/jobs/{job}/series", { params: { path: { job } } })),
  });
