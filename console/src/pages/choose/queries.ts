/** What choosing asks of the server. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import type { Asked } from "./asked";

export const flowQuery = (gpus: number | null) =>
  queryOptions({
    queryKey: ["choose", gpus],
    queryFn: () =>
      ask(api.GET("/api/v1/choose", { params: { query: gpus === null ? {} : { gpus } } })),
    staleTime: 5 * 60_000,
    placeholderData: keepPreviousData,
  });

/** The server's answer about uploaded data. */
export const suggestQuery = (asked: Asked) => {
  const { digest, file, map, gpus, memory, teacher } = asked;
  const body = {
    digest,
    file,
    map,
    gpus,
    gpu_memory: memory || null,
    teacher: teacher || null,
    cut: false,
  };
  return queryOptions({
    queryKey: ["suggest", body],
    queryFn: ({ signal }) => ask(api.POST("/api/v1/suggest", { body, signal })),
    enabled: digest !== null,
    retry: false,
    staleTime: 5 * 60_000,
    placeholderData: keepPreviousData,
  });
};
