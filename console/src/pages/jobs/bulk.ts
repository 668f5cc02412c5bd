/** One thing done to many jobs: in requests of a size the server takes, with word of how far. */
import { api, ask, type Schemas } from "@/api/client";
import { filterOf, type View } from "./view";

export type BulkAction = "stop" | "delete" | "tag";
export type BulkResult = Schemas["BulkResult"];

export const MOST = 500; // jobs in one request, and in one page of a listing

/** Told after every request how many jobs were asked about. */
export type OnPart = (count: number) => void;

/** Do it to all of them; the results of all parts. */
export async function inParts(
  ids: readonly string[],
  action: BulkAction,
  tag: string,
  onPart: OnPart,
): Promise<BulkResult[]> {
  const results: BulkResult[] = [];
  for (let start = 0; start < ids.length; start += MOST) {
    const body = {
      ids: ids.slice(start, start + MOST),
      action,
      tags: action === "tag" ? [tag] : [],
      force: false,
    };
    results.push(...(await ask(api.POST("/api/v1/jobs/bulk", { body }))));
    onPart(results.length);
  }
  return results;
}

/** Ids of all jobs that a view shows, the oldest first: jobs made meanwhile shift no page. */
export async function matchingIds(view: View): Promise<string[]> {
  const found = new Set<string>();
  for (let page = 1; ; page += 1) {
    const query = { ...filterOf(view), sort: "created_at", page, size: MOST };
    const { jobs, total } = await ask(api.GET("/api/v1/jobs", { params: { query } }));
    for (const { id } of jobs) found.add(id);
    if (jobs.length < MOST || page * MOST >= total) return [...found];
  }
}

/** Ids in an order to show: those whose name is known before the others. */
export function namedFirst(ids: readonly string[], names: ReadonlyMap<string, string>): string[] {
  return [...ids].sort((a, b) => Number(names.has(b)) - Number(names.has(a)));
}
