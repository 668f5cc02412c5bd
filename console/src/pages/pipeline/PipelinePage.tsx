import { Badge, Box, Group, Stack, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useKeys } from "@/app/keys";
import { nextRow } from "@/app/rows";
import { formatDuration } from "@/format/time";
import { currentLanguage } from "@/i18n";
import { CommandBlock } from "@/ui/CommandBlock";
import { doneOf } from "@/ui/counts";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { RunState } from "@/ui/RunState";
import { Section } from "@/ui/Section";
import { TimeAgo } from "@/ui/TimeAgo";
import { type PipelineDetail, pipelineQuery } from "../pipelines/queries";
import { RunActions } from "../pipelines/RunActions";
import { runSeconds } from "../pipelines/RunTable";
import { StageGraph } from "./StageGraph";
import { StageList } from "./StageList";

/** One pipeline: its stages as a graph and as a list; `?stage=NAME` points to one. */
export function PipelinePage() {
  const { run: id = "" } = useParams({ strict: false });
  const query = pipelineQuery(id);
  const found = useQuery(query);
  const pipeline = found.data;
  if (!pipeline) {
    return (
      <Page title={id}>
        {found.error ? (
          <Problem error={found.error} onRetry={() => void found.refetch()} />
        ) : (
          <Loading lines={8} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={pipeline.name}
      subtitle={<Facts pipeline={pipeline} />}
      actions={
        <RunActions
          kind="pipeline"
          run={pipeline}
          queryKey={query.queryKey}
          resumable={["failed", "stopped"]}
        />
      }
    >
      <Stages id={id} pipeline={pipeline} />
      <Terminal pipeline={pipeline} />
    </Page>
  );
}

function Facts({ pipeline }: { pipeline: PipelineDetail }) {
  const { t } = useTranslation("runs");
  const { done, all } = doneOf(pipeline.counts);
  return (
    <Stack gap={4}>
      <Group gap="sm" style={{ rowGap: 2 }}>
        <RunState state={pipeline.state} />
        <span>{t("pipeline.progress", { done, all })}</span>
        {pipeline.owner && <span>{pipeline.owner}</span>}
        <TimeAgo at={pipeline.created_at} />
        <span>{formatDuration(runSeconds(pipeline), currentLanguage())}</span>
        {pipeline.fresh && (
          <Tooltip label={t("pipeline.freshHint")}>
            <Badge>{t("pipeline.fresh")}</Badge>
          </Tooltip>
        )}
      </Group>
      {pipeline.message && (
        <Text size="sm" c="var(--mantine-color-text)">
          {pipeline.message}
        </Text>
      )}
    </Stack>
  );
}

function Stages({ id, pipeline }: { id: string; pipeline: PipelineDetail }) {
  const { t } = useTranslation("runs");
  const navigate = useNavigate();
  const search: Record<string, string> = useSearch({ strict: false });
  const stages = pipeline.stages ?? [];
  const chosen = search.stage;
  const choose = (name: string | undefined) => {
    if (name === undefined) return;
    void navigate({
      to: "/pipelines/$run",
      params: { run: id },
      search: { stage: name },
      replace: true,
      resetScroll: false,
    });
  };
  const names = stages.map((one) => one.name);
  const open = (event: KeyboardEvent) => {
    const focused = event.target instanceof HTMLElement && event.target.closest("a,button");
    const job = stages.find((one) => one.name === chosen)?.job_id;
    if (focused instanceof HTMLElement) focused.click();
    else if (job) void navigate({ to: "/jobs/$job", params: { job }, search: {} });
  };
  useKeys({
    j: () => choose(nextRow(names, chosen, 1)),
    k: () => choose(nextRow(names, chosen, -1)),
    Enter: open,
  });
  useEffect(() => {
    if (chosen) document.getElementById(`row-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <>
      <StageGraph stages={stages} chosen={chosen} onChoose={choose} />
      <Section title={t("pipeline.stages")} count={stages.length} bare>
        <StageList stages={stages} marked={chosen} />
      </Section>
    </>
  );
}

/** The commands that do the same, and the file as it was sent. */
function Terminal({ pipeline }: { pipeline: PipelineDetail }) {
  const { t } = useTranslation("runs");
  const { id, state } = pipeline;
  const lines = [`sf pipeline show ${id}`];
  if (state === "running") lines.push(`sf pipeline stop ${id}`);
  if (state === "failed" || state === "stopped") lines.push(`sf pipeline resume ${id}`);
  return (
    <>
      <Section title={t("pipeline.terminal")} bare>
        <CommandBlock text={lines.join("\n")} />
        {state !== "running" && state !== "stopping" && (
          <Text size="xs" c="dimmed" mt={4}>
            {t("pipeline.terminalText")}
          </Text>
        )}
      </Section>
      <Box component="details">
        <Text component="summary" size="sm" mb={6} style={{ cursor: "pointer" }}>
          {t("pipeline.file")}
        </Text>
        <CommandBlock text={pipeline.text} />
      </Box>
    </>
  );
}
