import { Anchor, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { RunState } from "@/ui/RunState";
import { pipelineQuery, sweepQuery } from "../../pipelines/queries";
import { Row } from "./Row";

/** The pipeline whose stage this job is, or the sweep whose trial. */
export function MadeFor({ job }: { job: JobDetail }) {
  return (
    <>
      {job.pipeline && <OfPipeline id={job.pipeline} stage={job.stage ?? ""} />}
      {job.sweep && <OfSweep id={job.sweep} trial={job.trial ?? 0} />}
    </>
  );
}

function OfPipeline({ id, stage }: { id: string; stage: string }) {
  const { t } = useTranslation("runs");
  const found = useQuery({ ...pipelineQuery(id), retry: false }).data;
  return (
    <Row label={t("pipeline.one")}>
      <Group gap={8} style={{ rowGap: 0 }}>
        <Link to="/pipelines/$run" params={{ run: id }} search={{ stage }}>
          <Anchor component="span">{found?.name ?? id}</Anchor>
        </Link>
        <span>{t("pipeline.stageOf", { stage })}</span>
        {found && <RunState state={found.state} />}
      </Group>
    </Row>
  );
}

function OfSweep({ id, trial }: { id: string; trial: number }) {
  const { t } = useTranslation("runs");
  const found = useQuery({ ...sweepQuery(id), retry: false }).data;
  return (
    <Row label={t("sweep.one")}>
      <Group gap={8} style={{ rowGap: 0 }}>
        <Link to="/sweeps/$run" params={{ run: id }} search={{ trial: String(trial) }}>
          <Anchor component="span">{found?.name ?? id}</Anchor>
        </Link>
        <span>{t("sweep.bestOf", { number: trial })}</span>
        {found?.best === trial && <span>{t("sweep.isBest")}</span>}
        {found && <RunState state={found.state} />}
      </Group>
    </Row>
  );
}
