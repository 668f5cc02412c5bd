/** Asks for what a job's page will show while its code is still on the way. */
import type { QueryClient } from "@tanstack/react-query";
import { jobQuery, seriesQuery } from "@/api/queries";
import { tabOf } from "./tabs";

type Search = Record<string, string | undefined>;

export const chartsTab = () => import("./charts/ChartsTab");
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
  void chartsTab().catch(ignore);
  void Promise.all([found, series, firstCurves()])
    .then(([about, names, first]) => first.firstCurves(client, about, names, search))
    .catch(ignore);
}

/** The page asks again, and says what went wrong. */
function ignore(): void {}
