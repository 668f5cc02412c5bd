/** Pipelines and sweeps as the server has them, looked at again while something goes on. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "@/api/client";
import { isGoing } from "@/ui/RunState";

export type Pipeline = Schemas["Pipeline"];
export type PipelineDetail = Schemas["PipelineDetail"];
export type Stage = Schemas["Stage"];
export type Sweep = Schemas["Sweep"];
export type SweepDetail = Schemas["SweepDetail"];
export type Trial = Schemas["Trial"];
export type RunStateName = Pipeline["state"];

export const RUN_STATES: RunStateName[] = ["running", "stopping", "succeeded", "failed", "stopped"];
export const PAGE_SIZE = 50;
const MOST_SWEEPS = 200;
const PACE = 2000; // ms between looks at what goes on
const IDLE = 10_000; // and at lists in which nothing does: new ones come

/** How long until the next look at a list. */
function pace(runs: { state: RunStateName }[] | undefined): number {
  return runs?.some(isGoing) ? PACE : IDLE;
}

export interface PipelineFilter {
  state?: RunStateName;
  search?: string;
  page: number;
}

export const pipelinesQuery = (filter: PipelineFilter) =>
  queryOptions({
    queryKey: ["pipelines", filter],
    queryFn: () =>
      ask(api.GET("/api/v1/pipelines", { params: { query: { ...filter, size: PAGE_SIZE } } })),
    refetchInterval: ({ state }) => pace(state.data?.pipelines),
    placeholderData: keepPreviousData,
  });

export const pipelineQuery = (pipeline: string) =>
  queryOptions({
    queryKey: ["pipeline", pipeline],
    queryFn: () => ask(api.GET("/api/v1/pipelines/{pipeline}", { params: { path: { pipeline } } })),
    refetchInterval: ({ state }) => (state.data && isGoing(state.data) ? PACE : false),
  });

export const sweepsQuery = queryOptions({
  queryKey: ["sweeps"],
  queryFn: () => ask(api.GET("/api/v1/sweeps", { params: { query: { limit: MOST_SWEEPS } } })),
  refetchInterval: ({ state }) => pace(state.data),
});

export const sweepQuery = (sweep: string) =>
  queryOptions({
    queryKey: ["sweep", sweep],
    queryFn: () => ask(api.GET("/api/v1/sweeps/{sweep}", { params: { path: { sweep } } })),
    refetchInterval: ({ state }) => (state.data && isGoing(state.data) ? PACE : false),
  });
