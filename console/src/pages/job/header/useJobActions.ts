/** What can be done to a job; a refusal is shown where every page shows notices. */
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiError, api, ask, type JobDetail, type Schemas } from "@/api/client";

export type Verb = "stop" | "stopNow" | "resume" | "retry";

function call(job: string, verb: Verb): Promise<JobDetail> {
  const params = { path: { job } };
  switch (verb) {
    case "resume":
      return ask(api.POST("/api/v1/jobs/{job}/resume", { params }));
    case "retry":
      return ask(api.POST("/api/v1/jobs/{job}/retry", { params }));
    default:
      return ask(
        api.POST("/api/v1/jobs/{job}/stop", { params, body: { force: verb === "stopNow" } }),
      );
  }
}

/** Show a refusal with what to do about it. */
export function showRefusal(title: string, error: unknown): void {
  const hint = error instanceof ApiError && error.hint ? ` ${error.hint}` : "";
  const message = error instanceof Error ? error.message : String(error);
  notifications.show({ color: "red", title, message: `${message}${hint}`, autoClose: 10_000 });
}

export function useJobActions(job: JobDetail) {
  const { t } = useTranslation("job");
  const client = useQueryClient();
  const navigate = useNavigate();
  const onError = (error: unknown) => showRefusal(t("actions.failed"), error);
  const onSuccess = (now: JobDetail) => {
    client.setQueryData(["job", now.id], now);
    void client.invalidateQueries({ queryKey: ["job", now.id, "events"] });
    void client.invalidateQueries({ queryKey: ["jobs"] });
  };
  const act = useMutation({ mutationFn: (verb: Verb) => call(job.id, verb), onSuccess, onError });
  const edit = useMutation({
    mutationFn: (body: Partial<Schemas["JobEdit"]>) =>
      ask(
        api.PATCH("/api/v1/jobs/{job}", {
          params: { path: { job: job.id } },
          body: { add_tags: [], remove_tags: [], ...body },
        }),
      ),
    onSuccess,
    onError,
  });
  const remove = useMutation({
    mutationFn: () => ask(api.DELETE("/api/v1/jobs/{job}", { params: { path: { job: job.id } } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["jobs"] });
      void navigate({ to: "/jobs", search: {} });
    },
    onError,
  });
  return { act, edit, remove };
}
