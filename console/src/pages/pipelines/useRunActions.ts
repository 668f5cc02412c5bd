/** Stop and resume a pipeline or a sweep; a refusal is shown where every page shows notices. */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import { showRefusal } from "../job/header/useJobActions";
import type { RunKind, RunVerb } from "./runs";

function call(kind: RunKind, id: string, verb: RunVerb): Promise<unknown> {
  if (kind === "pipeline") {
    const params = { path: { pipeline: id } };
    return verb === "stop"
      ? ask(api.POST("/api/v1/pipelines/{pipeline}/stop", { params }))
      : ask(api.POST("/api/v1/pipelines/{pipeline}/resume", { params }));
  }
  const params = { path: { sweep: id } };
  return verb === "stop"
    ? ask(api.POST("/api/v1/sweeps/{sweep}/stop", { params }))
    : ask(api.POST("/api/v1/sweeps/{sweep}/resume", { params }));
}

/** `refused` heads the notice; the page's own query is filled with the answer. */
export function useRunActions(kind: RunKind, id: string, key: QueryKey, refused: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (verb: RunVerb) => call(kind, id, verb),
    onSuccess: (now) => {
      client.setQueryData(key, now);
      void client.invalidateQueries({ queryKey: [`${kind}s`] });
    },
    onError: (error) => showRefusal(refused, error),
  });
}
