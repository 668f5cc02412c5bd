/**
 * One stream of the changes of jobs, pipelines and sweeps for the whole page. It updates what is cached in place,
 * so tables change without flicker, and says whether the server is there.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useRef, useSyncExternalStore } from "react";
import { isLive } from "@/ui/StateBadge";
import type { Job, Schemas } from "./client";
import { useFollow } from "./follow";
import { applyPipeline, applyStageJob, applySweep } from "./liveRuns";

type Task = Schemas["Task"];
type Listener = () => void;
const listeners = new Set<Listener>();
let connected = true;

function setConnected(now: boolean): void {
  if (now === connected) return;
  connected = now;
  for (const listener of listeners) listener();
}

/** Whether the stream of changes is connected; false while the server or network is away. */
export function useConnected(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connected,
  );
}

interface Page {
  jobs: Job[];
  total: number;
}

/** What events leave out, as the list knew it. */
function onlyInLists(old: Job | undefined, job: Job): Partial<Job> {
  return {
    model: job.model ?? old?.model ?? null,
    data: job.data ?? old?.data ?? null,
    sparkline: job.sparkline ?? old?.sparkline ?? null,
  };
}

/** Put a changed job where it is cached; true when some list did not know it. */
export function applyJob(client: QueryClient, job: Job): boolean {
  client.setQueryData<Job>(["job", job.id], (old) =>
    old ? { ...old, ...job, ...onlyInLists(old, job) } : old,
  );
  let known = false;
  client.setQueriesData<Page>({ queryKey: ["jobs"] }, (page) => {
    if (!page?.jobs) return page;
    const at = page.jobs.findIndex((one) => one.id === job.id);
    if (at < 0) return page;
    known = true;
    const jobs = page.jobs.slice();
    jobs[at] = { ...jobs[at], ...job, ...onlyInLists(jobs[at], job) };
    return { ...page, jobs };
  });
  return !known;
}

/** Put work in the background where it is cached; its end changes what can run. */
export function applyTask(client: QueryClient, task: Task): void {
  client.setQueryData<Task[]>(["tasks"], (old) =>
    old ? [task, ...old.filter((one) => one.id !== task.id)] : old,
  );
  if (task.state === "running") return;
  for (const key of ["runtimes", "methods", "method"]) {
    void client.invalidateQueries({ queryKey: [key] });
  }
}

const TOLD = new Set<unknown>([
  "jobs", "job", "pipelines", "pipeline", "sweeps", "sweep", "tasks",
]); // biome-ignore format: a list

/** Whether the stream keeps it up to date: not what belongs to a job, such as its curves. */
function isTold([kind, ...rest]: readonly unknown[]): boolean {
  return TOLD.has(kind) && rest.length <= 1;
}

const SETTLE = 400; // ms: many changes at once ask once for what shows them

/** Mount once: keeps everything cached up to date. */
export function LiveUpdates(): null {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const due = useRef(new Set<string>());
  const wasAway = useRef(false);
  const wasThere = useRef(false);

  /** Ask again, soon, for what is cached under these keys and seen. */
  function refresh(...keys: string[]) {
    for (const key of keys) due.current.add(key);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      for (const key of due.current) void client.invalidateQueries({ queryKey: [key] });
      due.current.clear();
    }, SETTLE);
  }

  useFollow(
    {
      url: () => "/api/v1/events",
      onState: (now) => {
        setConnected(now);
        if (!now) wasAway.current = true;
        else if (wasAway.current) {
          wasAway.current = false;
          void client.invalidateQueries();
        } else if (!wasThere.current) {
          // What changed between the page's first answers and now, the stream does not tell.
          void client.invalidateQueries({ predicate: (query) => isTold(query.queryKey) });
        }
        if (now) wasThere.current = true;
      },
      onEvent: ({ event, data }) => {
        if (event === "job") {
          const job = data as Job;
          if (applyJob(client, job)) refresh("jobs", "server");
          applyStageJob(client, job);
          // What is only looked at while a job runs (curves, logs, samples) is looked at once
          // more when it has ended: its last points came after the last look.
          void client.invalidateQueries({ queryKey: ["job", job.id], exact: isLive(job.state) });
          if (!isLive(job.state)) refresh("board"); // it may have measured something
        } else if (event === "deleted") {
          refresh("jobs", "server", "pipeline");
        } else if (event === "pipeline") {
          if (applyPipeline(client, data as Schemas["Pipeline"])) refresh("pipelines");
          refresh("pipeline");
        } else if (event === "sweep") {
          if (applySweep(client, data as Schemas["Sweep"])) refresh("sweeps");
          refresh("sweep");
        } else if (event === "task") {
          applyTask(client, data as Task);
        } else if (event === "gap") {
          void client.invalidateQueries(); // more happened than was told
        }
      },
    },
    "all",
  );
  return null;
}
