import { Anchor, Badge, Group, Progress, Stack, Text } from "@mantine/core";
import { IconCheck, IconClock, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Job, Schemas } from "@/api/client";
import { formatNumber } from "@/format/number";
import { CopyButton } from "@/ui/CopyButton";
import { Elapsed } from "@/ui/Elapsed";
import { RunState } from "@/ui/RunState";
import { isLive, StateBadge } from "@/ui/StateBadge";
import { MethodLink } from "../job/MethodLink";
import { reasonText, shareDone } from "../job/state";
import type { Stage } from "../pipelines/queries";
import classes from "./list.module.css";
import { gatesOf, opponentOf, valueText } from "./stage";

interface Props {
  stages: Stage[];
  marked: string | undefined;
}

/** Every stage with its job, scores, gates, and why it is as it is. */
export function StageList({ stages, marked }: Props) {
  return (
    <div className="sf-panel">
      {stages.map((stage) => (
        <div
          key={stage.name}
          id={`row-${stage.name}`}
          className={classes.row}
          data-marked={stage.name === marked || undefined}
        >
          <Who stage={stage} />
          <What stage={stage} stages={stages} />
        </div>
      ))}
    </div>
  );
}

function Who({ stage }: { stage: Stage }) {
  const { t } = useTranslation("runs");
  return (
    <Stack gap={2} align="flex-start">
      <Text size="sm" fw={600}>
        {stage.name}
      </Text>
      <RunState state={stage.state} />
      {stage.reused && <Badge>{t("pipeline.reused")}</Badge>}
      {stage.attempt > 0 && (
        <Text size="xs" c="dimmed">
          {stage.attempt <= stage.retries
            ? t("pipeline.attempt", { number: stage.attempt + 1, all: stage.retries + 1 })
            : t("pipeline.attempts", { number: stage.attempt + 1 })}
        </Text>
      )}
    </Stack>
  );
}

function What({ stage, stages }: { stage: Stage; stages: Stage[] }) {
  const { t } = useTranslation("runs");
  const opponent = opponentOf(stage, stages);
  const needs = stage.needs ?? [];
  return (
    <Stack gap={4} miw={0}>
      <Group gap="sm" style={{ rowGap: 2 }}>
        <MethodLink method={stage.method} />
        <Text span size="sm">
          {stage.what}
        </Text>
        {needs.length > 0 && (
          <Text span size="sm" c="dimmed">
            {t("pipeline.after", { names: needs.join(", ") })}
          </Text>
        )}
      </Group>
      <JobLine stage={stage} />
      {stage.message && stage.state !== "gate_failed" && (
        <Text size="sm" style={{ whiteSpace: "pre-line" }}>
          {stage.message}
        </Text>
      )}
      {(stage.scores ?? []).map((score) => (
        <Text key={`${score.benchmark} ${score.metric}`} size="sm">
          <span className="sf-mono">{`${score.benchmark}.${score.metric}`}</span>{" "}
          <strong>{valueText(score.value, score.stderr)}</strong>
        </Text>
      ))}
      {gatesOf(stage).map(({ gate, verdict }) => (
        <GateLine key={gate} gate={gate} verdict={verdict} />
      ))}
      {opponent && (
        <Group gap={6} wrap="nowrap">
          <Link to="/board/compare" search={{ a: opponent.a, b: opponent.b }}>
            <Anchor component="span" size="sm">
              {t("pipeline.against", { stage: opponent.stage })}
            </Anchor>
          </Link>
          <CopyButton
            text={`sf bench compare ${opponent.a} ${opponent.b}`}
            label={`sf bench compare ${opponent.a} ${opponent.b}`}
          />
        </Group>
      )}
    </Stack>
  );
}

/** States of a job in which its stage counts as running, but isn't. */
const NOT_YET: Job["state"][] = ["queued", "starting", "unreachable"];

function JobLine({ stage }: { stage: Stage }) {
  const { t } = useTranslation("runs");
  const { job, job_id: id } = stage;
  if (!id) return null;
  if (!job) {
    return (
      <Text size="sm" c="dimmed">
        <span className="sf-mono">{id}</span>: {t("pipeline.gone")}
      </Text>
    );
  }
  return (
    <Group gap="sm" style={{ rowGap: 2 }}>
      <Link to="/jobs/$job" params={{ job: id }} search={{}}>
        <Anchor component="span" size="sm">
          {job.name}
        </Anchor>
      </Link>
      {NOT_YET.includes(job.state) && (
        <Group gap={6}>
          <StateBadge state={job.state} />
          <Text span size="sm">
            {reasonText(job.reason, t)}
          </Text>
        </Group>
      )}
      {job.started_at && (
        <Text span size="sm" c="dimmed">
          <Elapsed from={job.started_at} to={job.ended_at} />
        </Text>
      )}
      <JobProgress job={job} />
    </Group>
  );
}

function JobProgress({ job }: { job: Job }) {
  const { t } = useTranslation("runs");
  const share = shareDone(job);
  if (share === null || !isLive(job.state)) return null;
  const { step, total } = job.progress ?? {};
  return (
    <Group gap={8} wrap="nowrap">
      <Progress value={share * 100} size={6} w={110} aria-label={t("job:header.progress")} />
      <Text span size="xs" c="dimmed">
        {step}/{total}
      </Text>
    </Group>
  );
}

interface GateProps {
  gate: string;
  verdict: Schemas["Verdict"] | null;
}

const LOOK = {
  met: { color: "var(--sf-succeeded)", Icon: IconCheck },
  missed: { color: "var(--sf-failed)", Icon: IconX },
  undecided: { color: "var(--sf-waiting)", Icon: IconClock },
} as const;

function GateLine({ gate, verdict }: GateProps) {
  const { t } = useTranslation("runs");
  const how = verdict ? (verdict.met ? "met" : "missed") : "undecided";
  const { color, Icon } = LOOK[how];
  const { value, bound } = verdict ?? {};
  const measured =
    value === null || value === undefined
      ? verdict?.text
      : t("pipeline.measured", {
          value: valueText(value, verdict?.stderr),
          bound: formatNumber(bound),
        });
  return (
    <Group gap={6} align="flex-start" wrap="nowrap">
      <Text span size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
        {t("pipeline.gate")}
      </Text>
      <Text component="div" size="sm" miw={0}>
        <span className="sf-mono">{gate}</span>{" "}
        <Text span size="sm" fw={500} style={{ color, whiteSpace: "nowrap" }}>
          <Icon size={13} style={{ verticalAlign: "-2px" }} aria-hidden /> {t(`pipeline.${how}`)}
        </Text>
        {measured && (
          <Text span size="sm" c="dimmed">
            {" "}
            {measured}
          </Text>
        )}
      </Text>
    </Group>
  );
}
