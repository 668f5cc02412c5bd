import { Group, Select, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format/number";
import { Section } from "@/ui/Section";
import type { SweepDetail } from "../pipelines/queries";
import { TrialPlot } from "./TrialPlot";
import { axisOf, BY_NUMBER, type Point, parameterNames, pointsOf } from "./trials";

const HEIGHT = 240;

/** The values of all trials, over the number of the trial or `?x=PARAMETER`. */
export function Values({ id, sweep }: { id: string; sweep: SweepDetail }) {
  const { t } = useTranslation("runs");
  const navigate = useNavigate();
  const search: Record<string, string> = useSearch({ strict: false });
  const [hovered, setHovered] = useState<Point | null>(null);
  const trials = useMemo(() => sweep.trials ?? [], [sweep.trials]);
  const names = parameterNames(trials);
  const x = names.find((one) => one === search.x) ?? BY_NUMBER;
  const axis = useMemo(() => axisOf(trials, x), [trials, x]);
  const points = useMemo(() => pointsOf(trials, axis), [trials, axis]);
  const shown = x === BY_NUMBER ? t("sweep.number") : x;
  return (
    <Section
      title={t("sweep.plotTitle")}
      actions={
        <Group gap={6}>
          <Text span size="xs" c="dimmed">
            {t("sweep.x")}
          </Text>
          <Select
            w={190}
            aria-label={t("sweep.x")}
            allowDeselect={false}
            value={x}
            data={[
              { value: BY_NUMBER, label: t("sweep.number") },
              ...names.map((name) => ({ value: name, label: name })),
            ]}
            onChange={(value) =>
              void navigate({
                to: "/sweeps/$run",
                params: { run: id },
                search: { ...search, x: value ?? "" },
                replace: true,
                resetScroll: false,
              })
            }
          />
        </Group>
      }
    >
      {points.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t("sweep.noPoints")}
        </Text>
      ) : (
        <>
          <TrialPlot
            points={points}
            axis={axis}
            best={sweep.best ?? null}
            goal={sweep.goal}
            height={HEIGHT}
            label={t("sweep.plot", { metric: sweep.metric, x: shown })}
            onHover={(point) => setHovered((old) => (old?.trial === point?.trial ? old : point))}
            onOpen={({ trial }) => {
              if (!trial.job_id) return;
              void navigate({ to: "/jobs/$job", params: { job: trial.job_id }, search: {} });
            }}
          />
          <Group justify="space-between" gap={4} align="flex-start" mt={4} mih={20}>
            <Text size="xs" c="dimmed">
              {hovered ? told(hovered, sweep.metric) : t("sweep.hover")}
            </Text>
            <Legend line={x === BY_NUMBER} />
          </Group>
        </>
      )}
    </Section>
  );
}

const MARKS = {
  best: { width: 10, height: 10, borderRadius: "50%", background: "var(--sf-succeeded)" },
  good: { width: 7, height: 7, borderRadius: "50%", background: "var(--sf-running)" },
  other: { width: 7, height: 7, borderRadius: "50%", border: "1.5px solid currentColor" },
  line: { width: 14, height: 0, borderTop: "2px solid var(--sf-waiting)", opacity: 0.6 },
} as const;

/** What the points are. */
function Legend({ line }: { line: boolean }) {
  const { t } = useTranslation("runs");
  const shown = (["best", "good", "other", "line"] as const).filter(
    (one) => line || one !== "line",
  );
  return (
    <Group gap={12} style={{ rowGap: 0 }}>
      {shown.map((one) => (
        <Group key={one} gap={5} c="dimmed" wrap="nowrap">
          <span aria-hidden style={{ flex: "none", ...MARKS[one] }} />
          <Text span size="xs">
            {t(`sweep.legend.${one}`)}
          </Text>
        </Group>
      ))}
    </Group>
  );
}

/** `#3 · train/loss 0.41 · learning_rate 1e-5`. */
function told({ trial, y }: Point, metric: string): string {
  const values = Object.entries(trial.parameters).map(([name, value]) => `${name} ${value}`);
  return [`#${trial.number}`, `${metric} ${formatNumber(y)}`, ...values].join(" · ");
}
