import {
  ActionIcon,
  Box,
  Group,
  Progress,
  Stack,
  Text,
  TextInput,
  Title,
  Tooltip,
} from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { formatDuration } from "@/format/time";
import { currentLanguage } from "@/i18n";
import { isLive, StateBadge } from "@/ui/StateBadge";
import { TimeAgo } from "@/ui/TimeAgo";
import { MethodLink } from "../MethodLink";
import { reasonText, secondsRun, shareDone } from "../state";
import { Tags } from "./Tags";
import { useJobActions } from "./useJobActions";

/** The name as the page's heading (to change in place); below it state, progress, tags. */
export function Heading({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const language = currentLanguage();
  const reason = reasonText(job.reason, t);
  const run = secondsRun(job, Date.now());
  return (
    <Stack gap={6}>
      <Name job={job} />
      <Group gap="sm" fw={400} fz="sm" style={{ rowGap: 4 }}>
        <StateBadge state={job.state} />
        {reason && <Text size="sm">{reason}</Text>}
        <MethodLink method={job.method} />
        {job.owner && (
          <Text size="sm" c="dimmed">
            {t("header.by", { owner: job.owner })}
          </Text>
        )}
        <TimeAgo at={job.created_at} />
        {run !== null && (
          <Text size="sm" c="dimmed">
            {t("header.ran", { time: formatDuration(run, language) })}
          </Text>
        )}
        <Tags job={job} />
      </Group>
      <Done job={job} />
    </Stack>
  );
}

function Done({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const share = shareDone(job);
  const step = job.progress?.step;
  if (!isLive(job.state) || step === null || step === undefined) return null;
  const total = job.progress?.total;
  const eta = job.progress?.eta_seconds;
  return (
    <Group gap="sm" wrap="wrap">
      {share !== null && (
        <Box w={{ base: 160, sm: 260 }}>
          <Progress value={share * 100} size={6} aria-label={t("header.progress")} />
        </Box>
      )}
      <Text size="sm" c="dimmed" fw={400}>
        {total ? t("header.steps", { step, total }) : t("header.step", { step })}
        {eta !== null && eta !== undefined
          ? ` · ${t("header.left", { time: formatDuration(eta, currentLanguage()) })}`
          : ""}
      </Text>
    </Group>
  );
}

function Name({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const { edit } = useJobActions(job);
  const [text, setText] = useState<string | null>(null);
  if (text === null) {
    return (
      <Group gap={6} wrap="nowrap">
        <Title order={1} miw={0}>
          {job.name}
        </Title>
        <Tooltip label={t("header.rename")}>
          <ActionIcon size="sm" aria-label={t("header.rename")} onClick={() => setText(job.name)}>
            <IconPencil size={14} />
          </ActionIcon>
        </Tooltip>
      </Group>
    );
  }
  function keep() {
    const name = (text ?? "").trim();
    if (name && name !== job.name) edit.mutate({ name });
    setText(null);
  }
  return (
    <TextInput
      value={text}
      aria-label={t("header.name")}
      maxLength={200}
      w={{ base: 240, sm: 420 }}
      autoFocus
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === "Enter") keep();
        if (event.key === "Escape") setText(null);
      }}
    />
  );
}
