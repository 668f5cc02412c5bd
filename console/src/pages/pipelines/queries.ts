/** Pipelines and sweeps as the server has them; `api/live.tsx` keeps them up to date. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "@/api/client";

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
    placeholderData: keepPreviousData,
  });

export const pipelineQuery = (pipeline: string) =>
  queryOptions({
    queryKey: ["pipeline", pipeline],
    queryFn: () => ask(api.GET("/api/v1/pipelines/{pipeline}", { params: { path: { pipeline } } })),
  });

export const sweepsQuery = queryOptions({
  queryKey: ["sweeps"],
  queryFn: () => ask(api.GET("/api/v1/sweeps", { params: { query: { limit: MOST_SWEEPS } } })),
});

export const sweepQuery = (sweep: string) =>
  queryOptions({
    queryKey: ["sweep", sweep],
    queryFn: () => ask(api.GET("/api/v1/sweeps/{sweep}", { params: { path: { sweep } } })),
  });
