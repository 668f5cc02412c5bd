import { Text, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { RunState, stateColor } from "@/ui/RunState";
import type { Stage } from "../pipelines/queries";
import { cornerOf, curve, extent, layout, type Sizes } from "./graph";
import classes from "./graph.module.css";
import { scoreText } from "./stage";

const WIDE: Sizes = { width: 190, height: 64, rankGap: 46, laneGap: 14, down: false };
const NARROW: Sizes = { width: 152, height: 64, rankGap: 26, laneGap: 12, down: true };

interface Props {
  stages: Stage[];
  chosen: string | undefined;
  onChoose: (name: string) => void;
}

/** The stages as boxes joined by what they wait for; branches stand beside each other. */
export function StageGraph({ stages, chosen, onChoose }: Props) {
  const { t } = useTranslation("runs");
  const narrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const sizes = narrow ? NARROW : WIDE;
  const found = layout(stages);
  const size = extent(found, sizes);
  const corners = new Map(found.nodes.map((one) => [one.name, cornerOf(one, sizes)]));
  const byName = new Map(stages.map((one) => [one.name, one]));
  return (
    <section className={`sf-panel ${classes.frame}`} aria-label={t("pipeline.graph")} tabIndex={0}>
      <div style={{ position: "relative", ...size }}>
        <svg
          width={size.width}
          height={size.height}
          aria-hidden="true"
          style={{ position: "absolute" }}
        >
          {found.edges.map(({ from, to }) => {
            const [start, end] = [corners.get(from), corners.get(to)];
            return start && end ? (
              <path key={`${from} ${to}`} d={curve(start, end, sizes)} className={classes.line} />
            ) : null;
          })}
        </svg>
        {found.nodes.map(({ name }) => {
          const stage = byName.get(name);
          const corner = corners.get(name);
          return stage && corner ? (
            <StageBox
              key={name}
              stage={stage}
              pressed={name === chosen}
              onClick={() => onChoose(name)}
              style={{ left: corner.x, top: corner.y, width: sizes.width, height: sizes.height }}
            />
          ) : null;
        })}
      </div>
    </section>
  );
}

interface BoxProps {
  stage: Stage;
  pressed: boolean;
  onClick: () => void;
  style: React.CSSProperties;
}

function StageBox({ stage, pressed, onClick, style }: BoxProps) {
  const { t } = useTranslation("runs");
  const [score] = stage.scores ?? [];
  return (
    <UnstyledButton
      className={classes.stage}
      aria-pressed={pressed}
      onClick={onClick}
      style={{ ...style, borderLeftColor: stateColor(stage.state) }}
    >
      <Text span size="sm" fw={600} truncate>
        {stage.name}
      </Text>
      <RunState state={stage.state} size="xs" />
      <Text span size="xs" c="dimmed" truncate>
        {score
          ? scoreText(score)
          : stage.kind === "benchmark"
            ? `${t("pipeline.benchmark")} ${stage.what}`
            : stage.what}
      </Text>
    </UnstyledButton>
  );
}
