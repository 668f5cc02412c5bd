/** What the settings read: runtimes and the work in the background that builds them. */
import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Schemas } from "@/api/client";

export type Runtime = Schemas["Runtime"];
export type Task = Schemas["Task"];

export const runtimesQuery = queryOptions({
  queryKey: ["runtimes"],
  queryFn: () => ask(api.GET("/api/v1/runtimes")),
});

/** Kept up to date by the stream of changes (`api/live`). */
export const tasksQuery = queryOptions({
  queryKey: ["tasks"],
  queryFn: () => ask(api.GET("/api/v1/tasks")),
});

/**
 * What removing goes for: all builds of a name and device, those of older locks too. Offered at
 * the current one, or at an older one where no current one is there.
 */
export function removable(all: readonly Runtime[], one: Runtime): Runtime[] {
  const builds = all.filter(
    (other) => other.installed && other.name === one.name && other.device === one.device,
  );
  const offered = builds.find((build) => build.current) ?? builds[0];
  return offered && offered.digest === one.digest ? builds : [];
}

/** The last build of a runtime that the server knows of. */
export function buildOf(tasks: readonly Task[], runtime: Runtime): Task | undefined {
  const target = `${runtime.name}/${runtime.device}`;
  return tasks.find((task) => task.kind === "runtime" && task.target === target);
}

/** Per cent of a build that are done; null while there is nothing to count. */
export function shareOf(task: Task): number | null {
  return task.total ? Math.min(100, Math.round((100 * (task.done ?? 0)) / task.total)) : null;
}

export interface Report {
  ok: boolean;
  packages: number;
  python: string | null;
  cuda: boolean | null;
  problems: {
    what: { en: string; zh: string };
    package: string | null;
    wanted: string | null;
    found: string | null;
  }[];
  hint: { en: string; zh: string } | null;
}

/** Compare a runtime with its lock; takes seconds. */
export async function examine({ name, device }: Runtime): Promise<Report> {
  const answer = await ask(
    api.GET("/api/v1/runtimes/{name}/{device}/doctor", { params: { path: { name, device } } }),
  );
  return answer.detail as unknown as Report;
}
