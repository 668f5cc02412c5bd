import { Group, Text } from "@mantine/core";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { countsOf, outcomeOf } from "./counts";
import { stateColor } from "./RunState";

interface Props {
  counts: Record<string, number> | undefined;
  /** How many there are to be, where not all are there yet. */
  planned?: number | undefined;
  width?: number;
}

/** How a pipeline or sweep stands: a bar with a part for each state, and the same in words. */
export function CountBar({ counts, planned, width = 84 }: Props) {
  const { t } = useTranslation();
  const parts = countsOf(counts);
  const { succeeded, all, others, ahead } = outcomeOf(counts, planned);
  if (all === 0) return t("value.none");
  return (
    <Group gap={8} wrap="nowrap">
      <span aria-hidden style={{ display: "flex", gap: 1, width, height: 6, flex: "none" }}>
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
      <Text span size="sm" miw={110}>
        <span style={succeeded === all ? { color: stateColor("succeeded") } : undefined}>
          {t("runs:outcome.succeeded", { succeeded, all })}
        </span>
        {others.map(({ state, count }) => (
          <Fragment key={state}>
            {t("runs:outcome.comma")}
            <span style={{ color: stateColor(state), whiteSpace: "nowrap" }}>
              {t("runs:outcome.part", {
                count,
                state: t(`states.${state}`, { defaultValue: state }),
              })}
            </span>
          </Fragment>
        ))}
        {ahead > 0 && t("runs:outcome.comma") + t("runs:ahead", { count: ahead })}
      </Text>
    </Group>
  );
}
