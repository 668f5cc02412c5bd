import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** Colours of the states of pipelines, stages, sweeps and trials. */
const COLOR: Record<string, string> = {
  waiting: "var(--sf-waiting)",
  running: "var(--sf-running)",
  stopping: "var(--sf-warning)",
  succeeded: "var(--sf-succeeded)",
  failed: "var(--sf-failed)",
  gate_failed: "var(--sf-failed)",
  pruned: "var(--sf-waiting)",
  skipped: "var(--sf-waiting)",
  stopped: "var(--sf-waiting)",
};

/** The colour of a state; one that this page does not know is grey. */
export function stateColor(state: string): string {
  return COLOR[state] ?? "var(--sf-waiting)";
}

/** The state of a pipeline, stage, sweep or trial as a dot and a word. */
export function RunState({ state, size = "sm" }: { state: string; size?: string }) {
  const { t } = useTranslation();
  return (
    <Group gap={6} wrap="nowrap" component="span" style={{ color: stateColor(state) }}>
      <span
        className="sf-dot"
        data-live={state === "running" || state === "stopping"}
        aria-hidden
        style={state === "skipped" ? { opacity: 0.45 } : undefined}
      />
      <Text span size={size} fw={500} style={{ whiteSpace: "nowrap" }}>
        {t(`states.${state}`, { defaultValue: state })}
      </Text>
    </Group>
  );
}
