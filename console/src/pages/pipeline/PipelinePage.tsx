import { Badge, Box, Group, Stack, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useRowKeys } from "@/app/rows";
import { CodeText } from "@/ui/CodeText";
import { CommandBlock } from "@/ui/CommandBlock";
import { CountBar } from "@/ui/CountBar";
import { Elapsed } from "@/ui/Elapsed";
import { Page } from "@/ui/Page";
import { PageUntil } from "@/ui/PageUntil";
import { RunState } from "@/ui/RunState";
import { Section } from "@/ui/Section";
import { TimeAgo } from "@/ui/TimeAgo";
import { type PipelineDetail, pipelineQuery } from "../pipelines/queries";
import { RunActions } from "../pipelines/RunActions";
import { commandOf, verbOf } from "../pipelines/runs";
import { StageGraph } from "./StageGraph";
import { StageList } from "./StageList";

/** One pipeline: its stages as a graph and as a list; `?stage=NAME` points to one. */
export function PipelinePage() {
  const { run: id = "" } = useParams({ strict: false });
  const query = pipelineQuery(id);
  const found = useQuery(query);
  const pipeline = found.data;
  if (!pipeline) return <PageUntil title={id} query={found} />;
  return (
    <Page
      title={pipeline.name}
      subtitle={<Facts pipeline={pipeline} />}
      actions={<RunActions kind="pipeline" run={pipeline} queryKey={query.queryKey} />}
    >
      <Stages id={id} pipeline={pipeline} />
      <Terminal pipeline={pipeline} />
    </Page>
  );
}

function Facts({ pipeline }: { pipeline: PipelineDetail }) {
  const { t } = useTranslation("runs");
  return (
    <Stack gap={4}>
      <Group gap="sm" style={{ rowGap: 2 }}>
        <RunState state={pipeline.state} />
        <CountBar counts={pipeline.counts} />
        {pipeline.owner && <span>{pipeline.owner}</span>}
        <Group gap="sm" wrap="nowrap" component="span">
          <TimeAgo at={pipeline.created_at} />
          <Elapsed from={pipeline.created_at} to={pipeline.ended_at} />
        </Group>
        {pipeline.fresh && (
          <Tooltip label={t("pipeline.freshHint")}>
            <Badge>{t("pipeline.fresh")}</Badge>
          </Tooltip>
        )}
      </Group>
      {pipeline.message && (
        <Text size="sm" c="var(--mantine-color-text)" style={{ whiteSpace: "pre-line" }}>
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
    void navigate({
      to: "/pipelines/$run",
      params: { run: id },
      search: { stage: name ?? "" },
      replace: true,
      resetScroll: false,
    });
  };
  const open = (name: string) => {
    const job = stages.find((one) => one.name === name)?.job_id;
    if (job) void navigate({ to: "/jobs/$job", params: { job }, search: {} });
  };
  useRowKeys(
    stages.map((one) => one.name),
    chosen,
    choose,
    open,
  );
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
  const lines = [commandOf("pipeline", "show", id)];
  const verb = verbOf("pipeline", state);
  if (verb) lines.push(commandOf("pipeline", verb, id));
  return (
    <>
      <Section title={t("pipeline.terminal")} bare>
        <CommandBlock text={lines.join("\n")} />
        {state !== "running" && state !== "stopping" && (
          <Text component="div" size="xs" c="dimmed" mt={4}>
            <CodeText>{t("pipeline.terminalText")}</CodeText>
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
