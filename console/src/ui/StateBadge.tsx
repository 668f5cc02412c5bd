import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { JobState } from "@/api/client";

const COLOR: Record<JobState, string> = {
  queued: "var(--sf-waiting)",
  starting: "var(--sf-running)",
  running: "var(--sf-running)",
  stopping: "var(--sf-warning)",
  succeeded: "var(--sf-succeeded)",
  failed: "var(--sf-failed)",
  stopped: "var(--sf-waiting)",
  unreachable: "var(--sf-warning)",
};

const LIVE = new Set<JobState>(["starting", "running", "stopping"]);

/** Whether a job can still change by itself. */
export function isLive(state: JobState): boolean {
  return !["succeeded", "failed", "stopped"].includes(state);
}

/** A job's state as a dot and a word, never by colour alone. */
export function StateBadge({ state }: { state: JobState }) {
  const { t } = useTranslation();
  return (
    <Group gap={6} wrap="nowrap" component="span" style={{ color: COLOR[state] }}>
      <span className="sf-dot" data-live={LIVE.has(state)} aria-hidden />
      <Text span size="sm" fw={500} style={{ whiteSpace: "nowrap" }}>
        {t(`states.${state}`)}
      </Text>
    </Group>
  );
}
