import { Badge, Box, Button, Group, Progress, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, api, ask } from "@/api/client";
import { formatBytes } from "@/format/number";
import { both } from "@/i18n";
import { Problem } from "@/ui/Problem";
import { DoctorReport } from "./DoctorReport";
import { examine, type Runtime, shareOf, type Task } from "./queries";
import { RemoveRuntime } from "./RemoveRuntime";

interface Props {
  runtime: Runtime;
  first: boolean;
  /** The last build of it that the server knows of. */
  build: Task | undefined;
  /** What removing it removes; nothing where it is offered elsewhere. */
  builds: Runtime[];
}

/** A runtime: whether it is there, its size, and what can be done about it. */
export function RuntimeRow({ runtime, first, build, builds }: Props) {
  const { t } = useTranslation("settings");
  const client = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const { name, device } = runtime;
  const label = `${name} (${device})`;
  const building = build?.state === "running";
  const install = useMutation({
    mutationFn: () =>
      ask(api.POST("/api/v1/runtimes", { body: { name, device: device as "cpu" | "cuda" } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["tasks"] }),
  });
  const doctor = useMutation({ mutationFn: () => examine(runtime) });
  const canInstall = !runtime.installed && !building && runtime.current !== false;
  return (
    <Box
      px="sm"
      py={8}
      role="group"
      aria-label={label}
      style={{ borderTop: first ? undefined : "1px solid var(--sf-border)" }}
    >
      <Group justify="space-between" gap="xs">
        <div>
          <Group gap={8}>
            <Text span fw={600} className="sf-mono">
              {name}
            </Text>
            <Badge variant="default" size="sm">
              {device}
            </Badge>
            <State runtime={runtime} />
          </Group>
          <Text size="sm" c="dimmed">
            {runtime.title ? both(runtime.title) : t("older")}
          </Text>
        </div>
        <Group gap="xs">
          {canInstall && (
            <Button
              variant="default"
              loading={install.isPending}
              aria-label={t("installName", { name: label })}
              onClick={() => install.mutate()}
            >
              {t("install")}
            </Button>
          )}
          {runtime.installed && runtime.current !== false && (
            <Button
              variant="default"
              loading={doctor.isPending}
              aria-label={t("examineName", { name: label })}
              onClick={() => doctor.mutate()}
            >
              {t("examine")}
            </Button>
          )}
          {builds.length > 0 && (
            <Button
              variant="subtle"
              color="red"
              c="var(--sf-failed)"
              aria-label={t("removeName", { name: label })}
              onClick={() => setRemoving(true)}
            >
              {t("remove")}
            </Button>
          )}
        </Group>
      </Group>
      {building && <Building task={build} />}
      {build?.state === "failed" && !runtime.installed && (
        <Box mt="xs">
          <Problem error={failure(build)} title={t("buildFailed")} />
        </Box>
      )}
      {install.error && <Problem error={install.error} title={t("buildFailed")} />}
      {doctor.error && <Problem error={doctor.error} title={t("examineFailed")} />}
      {doctor.data && runtime.installed && <DoctorReport report={doctor.data} />}
      <RemoveRuntime builds={builds} opened={removing} onClose={() => setRemoving(false)} />
    </Box>
  );
}

function failure(task: Task): ApiError {
  return new ApiError("runtime/build", task.message ?? "", task.hint ?? null, 500);
}

function State({ runtime }: { runtime: Runtime }) {
  const { t } = useTranslation("settings");
  if (!runtime.installed) {
    const { estimate, download } = runtime;
    return (
      <Text span size="xs" c="dimmed">
        {estimate && download
          ? t("absent", { size: formatBytes(estimate), download: formatBytes(download) })
          : t("absentPlain")}
      </Text>
    );
  }
  return (
    <>
      <Text span size="xs" style={{ color: "var(--sf-succeeded)" }}>
        {t("installed", { size: formatBytes(runtime.size) })}
      </Text>
      {(runtime.used_by ?? []).map((job) => (
        <Link key={job} to="/jobs/$job" params={{ job }}>
          <Text span size="xs">
            {t("usedBy", { job })}
          </Text>
        </Link>
      ))}
    </>
  );
}

function Building({ task }: { task: Task }) {
  const { t } = useTranslation("settings");
  const share = shareOf(task);
  return (
    <Box mt="xs" role="status">
      <Progress
        size="sm"
        value={share ?? 100}
        animated={share === null}
        aria-label={t("building")}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {share === null ? "" : `${task.done}/${task.total} · `}
        {task.message ?? t("building")}
      </Text>
    </Box>
  );
}
