/** The typed client of the server's API, and the one shape every failure has here. */
import createClient, { type Middleware } from "openapi-fetch";
import { currentLanguage } from "@/i18n";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type Job = Schemas["Job"];
export type JobDetail = Schemas["JobDetail"];
export type JobState = Job["state"];
export type Finding = Schemas["Finding"];

/** What the server refused, or why it could not be asked (`network`). */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string | null,
    readonly status: number,
    readonly findings: Finding[] = [],
    readonly detail: Record<string, unknown> = {},
  ) {
    super(message);
    this.name = "ApiError";
  }

  /** Nothing answered: worth trying again by itself. */
  get away(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }

  get signedOut(): boolean {
    return this.status === 401;
  }
}

/** Headers of every request: the page's language, and proof that our page sent it. */
export function pageHeaders(): Record<string, string> {
  return { "X-StarForge": "console", "Accept-Language": currentLanguage() };
}

const headers: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(pageHeaders())) request.headers.set(name, value);
    return request;
  },
  onError({ error }) {
    return new ApiError("network", String(error), null, 0);
  },
};

export const api = createClient<paths>({ baseUrl: "", credentials: "same-origin" });
api.use(headers);

interface ErrorBody {
  error?: { code?: string; message?: string; hint?: string | null };
  findings?: Finding[] | null;
  detail?: Record<string, unknown> | null;
}

/** Turn a refusal's body into an error a page can show. */
export function toError(body: unknown, status: number): ApiError {
  const { error, findings, detail } = (
    typeof body === "object" && body !== null ? body : {}
  ) as ErrorBody;
  return new ApiError(
    error?.code ?? `http/${status}`,
    error?.message ?? `HTTP ${status}`,
    error?.hint ?? null,
    status,
    findings ?? [],
    detail ?? {},
  );
}

type Answer<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** Await a call: its data, or an {@link ApiError}. */
export async function ask<T>(answer: Answer<T>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw toError(error, response.status);
  return data as T;
}
