import { Group, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { countsOf, doneOf } from "./counts";
import { stateColor } from "./RunState";

interface Props {
  counts: Record<string, number> | undefined;
  /** How many there are to be, where not all are there yet. */
  planned?: number | undefined;
  width?: number;
}

/** How far a pipeline or sweep is: a bar with a part for each state, and `3/4` beside it. */
export function CountBar({ counts, planned, width = 84 }: Props) {
  const { t } = useTranslation();
  const parts = countsOf(counts);
  const { done, all } = doneOf(counts, planned);
  const ahead = all - parts.reduce((sum, one) => sum + one.count, 0);
  const said = [
    ...parts.map((one) => `${one.count} ${t(`states.${one.state}`, { defaultValue: one.state })}`),
    ...(ahead > 0 ? [t("runs:ahead", { count: ahead })] : []),
  ].join(", ");
  return (
    <Tooltip label={said || t("value.none")}>
      <Group gap={8} wrap="nowrap">
        <span
          role="img"
          aria-label={said || t("value.none")}
          style={{ display: "flex", gap: 1, width, height: 6, flex: "none" }}
        >
          {parts.map((one) => (
            <span
              key={one.state}
              style={{
                flex: one.count,
                borderRadius: 2,
                background: stateColor(one.state),
                opacity: one.state === "waiting" || one.state === "skipped" ? 0.3 : 1,
              }}
            />
          ))}
          {ahead > 0 && (
            <span style={{ flex: ahead, borderRadius: 2, background: "var(--sf-border)" }} />
          )}
        </span>
        <Text span size="sm" style={{ whiteSpace: "nowrap" }}>
          {done}/{all}
        </Text>
      </Group>
    </Tooltip>
  );
}
