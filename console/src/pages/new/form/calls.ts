/** What the form asks of the server. */
import { queryOptions } from "@tanstack/react-query";
import { api, ask, type JobDetail, pageHeaders, type Schemas, toError } from "@/api/client";
import { saveBlob } from "@/ui/save";
import type { Bundle, Draft } from "./draft";

export type Body = Schemas["ExperimentForm"];

/** An experiment made of the form, what the checks say of it, and the plan when it has one. */
export interface Checked {
  bundle: Bundle;
  planned: Schemas["Planned"];
}

/** What a form begins with: what `sf new` makes of a method, or the experiment of a job. */
export const startQuery = (method: string | undefined, from: string | undefined) =>
  queryOptions({
    queryKey: ["experiment", "start", method ?? "", from ?? ""],
    queryFn: () =>
      from
        ? ask(api.GET("/api/v1/jobs/{job}/experiment", { params: { path: { job: from } } }))
        : ask(api.POST("/api/v1/experiments", { body: fresh(method ?? "") })),
    staleTime: Number.POSITIVE_INFINITY,
  });

function fresh(method: string): Body {
  return { name: "new", method } as Body; // what is not said is the method's own
}

const NOTHING: Record<string, string> = {}; // no input is replaced: the form says them all

export async function check(body: Body, signal?: AbortSignal): Promise<Checked> {
  const options = signal ? { signal } : {};
  const bundle = await ask(api.POST("/api/v1/experiments", { body, ...options }));
  const request = { ...bundle.request, replace: NOTHING };
  const planned = await ask(api.POST("/api/v1/plan", { body: request, ...options }));
  return { bundle, planned };
}

/** Submit just what was checked; the same form is never submitted twice. */
export function submit(draft: Draft, checked: Checked, nonce: string): Promise<JobDetail> {
  const { request } = checked.bundle;
  const digest = checked.planned.plan_digest ?? null;
  const what = `${request.bundle.slice(0, 12)}-${(digest ?? "").slice(0, 12)}`;
  const body: Schemas["SubmitRequest"] = {
    ...request,
    replace: NOTHING,
    name: draft.name.trim() || null,
    plan_digest: digest,
    method: draft.method,
    idempotency_key: `console-${nonce}-${what}-${draft.name}`.slice(0, 200),
  };
  return ask(api.POST("/api/v1/jobs", { body }));
}

/** Save the experiment as a zip: a folder for the `experiments/` of a lab. */
export async function download(body: Body): Promise<void> {
  const answer = await fetch("/api/v1/experiments/archive", {
    method: "POST",
    body: JSON.stringify(body),
    headers: { ...pageHeaders(), "Content-Type": "application/json" },
  });
  if (!answer.ok) throw toError(await answer.json().catch(() => null), answer.status);
  saveBlob(await answer.blob(), `${body.name}.zip`);
}

const HEAD = 256 * 1024; // bytes of data that a preview reads

/** The first bytes of a blob as text. */
export async function headOf(digest: string, signal?: AbortSignal): Promise<string> {
  const init = { headers: pageHeaders(), ...(signal ? { signal } : {}) };
  const answer = await fetch(`/api/v1/blobs/${digest}`, init);
  if (!answer.ok || !answer.body) {
    throw toError(await answer.json().catch(() => null), answer.status);
  }
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let read = 0;
  while (read < HEAD) {
    const { done, value } = await reader.read();
    if (done) break;
    read += value.length;
    text += decoder.decode(value, { stream: true });
  }
  void reader.cancel();
  return text;
}

export const headQuery = (digest: string | null) =>
  queryOptions({
    queryKey: ["blob", "head", digest],
    queryFn: ({ signal }) => headOf(digest ?? "", signal),
    enabled: digest !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const datasetsQuery = queryOptions({
  queryKey: ["datasets"],
  queryFn: () => ask(api.GET("/api/v1/datasets")),
});

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: () => ask(api.GET("/api/v1/models")),
});

export const benchmarksQuery = queryOptions({
  queryKey: ["benchmarks"],
  queryFn: () => ask(api.GET("/api/v1/benchmarks")),
  staleTime: 60_000,
});

export const profilesQuery = (method: string) =>
  queryOptions({
    queryKey: ["profiles", method],
    queryFn: () => ask(api.GET("/api/v1/profiles", { params: { query: { method } } })),
  });

/** The newest jobs, to clone. */
export const recentQuery = queryOptions({
  queryKey: ["jobs", "recent"],
  queryFn: () => ask(api.GET("/api/v1/jobs", { params: { query: { size: 20 } } })),
});

/** Jobs whose model another can start from. */
export const finishedQuery = queryOptions({
  queryKey: ["jobs", "finished"],
  queryFn: () =>
    ask(api.GET("/api/v1/jobs", { params: { query: { state: ["succeeded"], size: 50 } } })),
});

export const keysQuery = (method: string, search: string) => {
  const [framework = "", name = ""] = method.split("/");
  return queryOptions({
    queryKey: ["keys", method, search],
    queryFn: () =>
      ask(
        api.GET("/api/v1/methods/{framework}/{name}/keys", {
          params: { path: { framework, name }, query: { search, limit: 30 } },
        }),
      ),
    staleTime: 5 * 60_000,
  });
};

/** Why there are findings of a code, and how to mend them. */
export const explanationQuery = (code: string) => {
  const [area = "", name = ""] = code.split("/");
  return queryOptions({
    queryKey: ["explanation", code],
    queryFn: () =>
      ask(api.GET("/api/v1/findings/{area}/{name}", { params: { path: { area, name } } })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
};
