/** Asks for what a job's page will show while its code is still on the way. */
import type { QueryClient } from "@tanstack/react-query";
import { lazyRouteComponent } from "@tanstack/react-router";
import { jobQuery, seriesQuery } from "@/api/queries";
import { tabOf } from "./tabs";

type Search = Record<string, string | undefined>;

/** The tabs but the first. Code that is there already is drawn at once, without a fallback. */
export const panels = {
  charts: lazyRouteComponent(() => import("./charts/ChartsTab"), "ChartsTab"),
  samples: lazyRouteComponent(() => import("./samples/SamplesTab"), "SamplesTab"),
  logs: lazyRouteComponent(() => import("./logs/LogsTab"), "LogsTab"),
  system: lazyRouteComponent(() => import("./system/SystemTab"), "SystemTab"),
  config: lazyRouteComponent(() => import("./config/ConfigTab"), "ConfigTab"),
  artifacts: lazyRouteComponent(() => import("./artifacts/ArtifactsTab"), "ArtifactsTab"),
  record: lazyRouteComponent(() => import("./record/RecordTab"), "RecordTab"),
};

const firstCurves = () => import("./charts/first");

/** Jobs also answer to their names; what is below them is kept by id. */
const isId = (text: string) => /^[0-9a-z]{10}$/.test(text);

/** Start the questions of a page. Nothing waits for them: pages ask the same ones themselves. */
export function preloadJob(
  client: QueryClient,
  job: string,
  tab: string | undefined,
  search: Search,
): void {
  const found = client.fetchQuery(jobQuery(job));
  if (tabOf(tab) !== "charts") return void found.catch(ignore);
  // Questions before code: a browser asks a server for few things at once.
  const series = isId(job)
    ? client.fetchQuery(seriesQuery(job))
    : found.then(({ id }) => client.fetchQuery(seriesQuery(id)));
  void Promise.all([found, series, firstCurves()])
    .then(([about, names, first]) => first.firstCurves(client, about, names, search))
    .catch(ignore);
}

/** Bring the code of a tab; the tab before it stays until it is there. */
export async function loadTab(tab: string): Promise<void> {
  const named = tabOf(tab);
  if (named !== null && named !== "overview") await panels[named].preload?.();
}

/** The page asks again, and says what went wrong. */
function ignore(): void {}
