import { Badge, Group, Progress, Stack, Text, Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Job } from "@/api/client";
import { formatNumber, formatPercent } from "@/format/number";
import { formatDuration } from "@/format/time";
import { currentLanguage } from "@/i18n";
import { Sparkline } from "@/ui/Sparkline";
import { isLive, StateBadge } from "@/ui/StateBadge";
import { TimeAgo } from "@/ui/TimeAgo";
import { reasonText, secondsRun, shareDone } from "../job/state";
import { type Column, shownMetric } from "./view";

/** Least widths in px, and the share of what is left over. */
const WIDTHS: Record<Column, [number, number]> = {
  state: [106, 1],
  name: [138, 2],
  method: [106, 1],
  model: [56, 1],
  data: [56, 1],
  progress: [104, 0.2],
  metric: [118, 0.4],
  owner: [64, 0.3],
  profile: [64, 0.2],
  created: [104, 0],
  duration: [82, 0],
};
const GAP = 8;
const CHECK = 30;
const PADDING = 24;

/** Columns of the table's grid, and the width below which it scrolls. */
export function gridOf(columns: Column[]): { template: string; minWidth: number } {
  const parts = columns.map((column) => {
    const [least, share] = WIDTHS[column];
    return share > 0 ? `minmax(${least}px, ${share}fr)` : `${least}px`;
  });
  const least = columns.reduce((sum, column) => sum + WIDTHS[column][0] + GAP, CHECK + PADDING);
  return { template: `${CHECK}px ${parts.join(" ")}`, minWidth: least };
}

export const CELLS: Record<Column, (job: Job, sort: string) => ReactNode> = {
  state: (job) => <StateCell job={job} />,
  name: (job) => <NameCell job={job} />,
  method: (job) => <Cut text={job.method} mono />,
  model: (job) => <Cut text={job.model} short />,
  data: (job) => <Cut text={job.data} short />,
  progress: (job) => <ProgressCell job={job} />,
  metric: (job, sort) => <MetricCell job={job} sort={sort} />,
  owner: (job) => <Cut text={job.owner} />,
  profile: (job) => <Cut text={job.profile} />,
  created: (job) => <TimeAgo at={job.created_at} />,
  duration: (job) => (
    <Text size="sm" c="dimmed" truncate>
      {formatDuration(secondsRun(job, Date.now()), currentLanguage())}
    </Text>
  ),
};

interface CutProps {
  text: string | null | undefined;
  mono?: boolean;
  /** Only the part after the last slash. */
  short?: boolean;
}

/** One line, cut where the column ends; the whole text on hover. */
export function Cut({ text, mono = false, short = false }: CutProps) {
  if (!text)
    return (
      <Text size="sm" c="dimmed">
        –
      </Text>
    );
  const shown = short ? (text.split("/").filter(Boolean).at(-1) ?? text) : text;
  return (
    <Tooltip label={text} disabled={shown === text && text.length < 12}>
      <Text size="sm" truncate {...(mono ? { className: "sf-mono" } : {})}>
        {shown}
      </Text>
    </Tooltip>
  );
}

export function StateCell({ job }: { job: Job }) {
  const { t } = useTranslation("jobs");
  const reason = reasonText(job.reason, t);
  return (
    <Stack gap={0} miw={0}>
      <StateBadge state={job.state} />
      {reason && (
        <Tooltip
          label={job.message ?? reason}
          multiline
          maw={420}
          style={{ whiteSpace: "pre-line" }}
        >
          <Text size="xs" c="dimmed" truncate>
            {reason}
          </Text>
        </Tooltip>
      )}
    </Stack>
  );
}

export function NameCell({ job }: { job: Job }) {
  const tags = job.tags ?? [];
  return (
    <Stack gap={0} miw={0}>
      <Text size="sm" fw={500} truncate component="div" title={job.name}>
        <Link to="/jobs/$job" params={{ job: job.id }} search={{}} className="sf-link">
          {job.name}
        </Link>
      </Text>
      {(tags.length > 0 || job.description) && (
        <Group gap={4} wrap="nowrap" miw={0}>
          {tags.slice(0, 2).map((tag) => (
            <Badge key={tag} size="xs" style={{ flex: "0 1 auto", minWidth: 24, maxWidth: 84 }}>
              {tag}
            </Badge>
          ))}
          {tags.length > 2 && (
            <Text size="xs" c="dimmed" style={{ flex: "none" }}>
              +{tags.length - 2}
            </Text>
          )}
          <Text size="xs" c="dimmed" truncate style={{ flex: "1 1 0", minWidth: 0 }}>
            {job.description}
          </Text>
        </Group>
      )}
    </Stack>
  );
}

export function ProgressCell({ job }: { job: Job }) {
  const { t } = useTranslation("jobs");
  const share = shareDone(job);
  const step = job.progress?.step;
  const eta = job.progress?.eta_seconds;
  if (share === null)
    return (
      <Text size="sm" c="dimmed">
        {step ?? "–"}
      </Text>
    );
  const left =
    eta === null || eta === undefined
      ? ""
      : t("left", { time: formatDuration(eta, currentLanguage(), 1) });
  return (
    <Stack gap={3} miw={0}>
      <Text size="xs" c="dimmed" truncate>
        {isLive(job.state) && left ? `${formatPercent(share)} · ${left}` : formatPercent(share)}
      </Text>
      <Progress
        value={share * 100}
        size={4}
        color={isLive(job.state) ? undefined : "gray"}
        aria-label={`${t("columns.progress")}: ${job.name}`}
      />
    </Stack>
  );
}

export function MetricCell({ job, sort }: { job: Job; sort: string }) {
  const [name, value] = shownMetric(job, sort) ?? [];
  const first = Object.keys(job.headline ?? {})[0];
  if (name === undefined)
    return (
      <Text size="sm" c="dimmed">
        –
      </Text>
    );
  return (
    <Group gap={8} wrap="nowrap" miw={0}>
      <Stack gap={0} miw={0} style={{ flex: 1 }}>
        <Text size="sm" fw={500}>
          {formatNumber(value)}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {name}
        </Text>
      </Stack>
      {name === first && (
        <Sparkline values={job.sparkline ?? []} width={56} label={`${name}: ${job.name}`} />
      )}
    </Group>
  );
}
