import { Box, Grid, Group, NavLink, Stack, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, ask, type JobDetail } from "@/api/client";
import { CommandBlock } from "@/ui/CommandBlock";
import { CopyButton } from "@/ui/CopyButton";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { isLive } from "@/ui/StateBadge";
import { fileUrl } from "../artifacts/ArtifactsTab";
import classes from "./record.module.css";

const recordQuery = (job: string, attempt: number) =>
  queryOptions({
    queryKey: ["job", job, "record", attempt],
    queryFn: () => ask(api.GET("/api/v1/jobs/{job}/record", { params: { path: { job } } })),
  });

/** What says most about a job. */
const FIRST = "experiment/experiment.yaml";

/** What is needed to run the job again: its files, the state of its code, the command. */
export function RecordTab({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const search: Record<string, string> = useSearch({ strict: false });
  const navigate = useNavigate();
  const record = useQuery(recordQuery(job.id, job.attempt ?? 0));
  if (record.error) return <Problem error={record.error} onRetry={() => void record.refetch()} />;
  if (!record.data) return <Loading lines={10} />;
  const { files } = record.data;
  const truncated = record.data.truncated ?? [];
  const names = [...Object.keys(files), ...truncated].sort((a, b) => a.localeCompare(b));
  if (names.length === 0) return <Empty title={t("record.none")} text={t("record.noneText")} />;
  const asked = search.file ?? FIRST;
  const chosen = names.find((name) => name === asked) ?? names[0] ?? "";
  return (
    <Stack gap="md">
      <Facts job={job} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, sm: 4, lg: 3 }}>
          <Box component="nav" aria-label={t("record.files")} className={classes.files}>
            {names.map((name) => (
              <NavLink
                key={name}
                component="button"
                active={name === chosen}
                aria-current={name === chosen ? "true" : undefined}
                label={<span className="sf-mono">{name}</span>}
                description={truncated.includes(name) ? t("record.truncated") : undefined}
                onClick={() =>
                  void navigate({ to: ".", replace: true, search: { file: name } as never })
                }
              />
            ))}
          </Box>
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 8, lg: 9 }}>
          <FileView job={job.id} name={chosen} text={files[chosen] ?? null} />
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function FileView({ job, name, text }: { job: string; name: string; text: string | null }) {
  const { t } = useTranslation("job");
  return (
    <Box className="sf-panel" miw={0}>
      <Group
        justify="space-between"
        px="sm"
        py={6}
        style={{ borderBottom: "1px solid var(--sf-border)" }}
      >
        <span className="sf-mono">{name}</span>
        <Group gap="xs">
          {text !== null && <CopyButton text={text} />}
          <a href={fileUrl(job, `record/${name}`)} download={name.split("/").at(-1)}>
            <Text span size="sm">
              {t("common:actions.download")}
            </Text>
          </a>
        </Group>
      </Group>
      <Box
        component="pre"
        className="sf-mono"
        m={0}
        p="sm"
        tabIndex={0}
        aria-label={name}
        style={{ overflow: "auto", maxHeight: "65vh" }}
      >
        {text ?? t("record.truncated")}
      </Box>
    </Box>
  );
}

function Facts({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const source = job.source ?? {};
  const commit = typeof source.commit === "string" ? source.commit : null;
  return (
    <Stack gap={6} fz="sm">
      {commit && (
        <Text size="sm">
          <Text span c="dimmed" size="sm">
            {t("record.commit")}{" "}
          </Text>
          <span className="sf-mono">{commit}</span>
          {" · "}
          {source.dirty ? t("record.dirty") : t("record.clean")}
        </Text>
      )}
      {job.plan_digest && (
        <Text size="sm">
          <Text span c="dimmed" size="sm">
            {t("record.plan")}{" "}
          </Text>
          <span className="sf-mono">{job.plan_digest}</span>
        </Text>
      )}
      {!isLive(job.state) && (
        <>
          <Text size="sm" c="dimmed">
            {t("record.rerun")}
          </Text>
          <CommandBlock text={`sf job retry ${job.id}`} />
        </>
      )}
    </Stack>
  );
}
