/** Pipelines and sweeps in the cache, as the stream of changes tells of them. */
import type { QueryClient } from "@tanstack/react-query";
import type { Job, Schemas } from "./client";

type Pipeline = Schemas["Pipeline"];
type PipelineDetail = Schemas["PipelineDetail"];
type Sweep = Schemas["Sweep"];
type SweepDetail = Schemas["SweepDetail"];

interface Run {
  id: string;
  state: string;
}

/** A list with a changed run in its place; `null` when it was not in it, or not in this state. */
function replaced<T extends Run>(runs: T[], run: T): T[] | null {
  const at = runs.findIndex((one) => one.id === run.id);
  if (at < 0) return null;
  const known = runs[at]?.state === run.state;
  return known ? runs.map((one, place) => (place === at ? { ...one, ...run } : one)) : null;
}

/** Put a changed pipeline where it is cached; true when a list has to be asked for again. */
export function applyPipeline(client: QueryClient, run: Pipeline): boolean {
  let stale = false;
  client.setQueriesData<Schemas["PipelinePage"]>({ queryKey: ["pipelines"] }, (page) => {
    if (!page) return page;
    const pipelines = replaced(page.pipelines, run);
    stale ||= pipelines === null;
    return pipelines ? { ...page, pipelines } : page;
  });
  client.setQueriesData<PipelineDetail>({ queryKey: ["pipeline"] }, (old) =>
    old?.id === run.id ? { ...old, ...run } : old,
  );
  return stale;
}

/** Put a changed sweep where it is cached; true when a list has to be asked for again. */
export function applySweep(client: QueryClient, run: Sweep): boolean {
  let stale = false;
  client.setQueriesData<Sweep[]>({ queryKey: ["sweeps"] }, (old) => {
    if (!old) return old;
    const sweeps = replaced(old, run);
    stale ||= sweeps === null;
    return sweeps ?? old;
  });
  client.setQueriesData<SweepDetail>({ queryKey: ["sweep"] }, (old) =>
    old?.id === run.id ? { ...old, ...run } : old,
  );
  return stale;
}

/** Put a job where a pipeline shows it as that of a stage. */
export function applyStageJob(client: QueryClient, job: Job): void {
  client.setQueriesData<PipelineDetail>({ queryKey: ["pipeline"] }, (old) => {
    if (!old?.stages?.some((stage) => stage.job?.id === job.id)) return old;
    const stages = old.stages.map((stage) =>
      stage.job?.id === job.id ? { ...stage, job: { ...stage.job, ...job } } : stage,
    );
    return { ...old, stages };
  });
}
