import { Text, UnstyledButton } from "@mantine/core";
import { useElementSize, useMediaQuery } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { RunState, stateColor } from "@/ui/RunState";
import type { Stage } from "../pipelines/queries";
import { draw, ranksOf, type Sizes } from "./graph";
import classes from "./graph.module.css";
import { scoreText } from "./stage";

const WIDE: Sizes = { width: 190, height: 64, rankGap: 46, laneGap: 14, down: false };
const LEAST = 136; // px: below that a wide graph is scrolled
const NARROW: Sizes = { width: 152, height: 64, rankGap: 26, laneGap: 12, down: true };

interface Props {
  stages: Stage[];
  chosen: string | undefined;
  onChoose: (name: string | undefined) => void;
}

/** The stages as boxes joined by what they wait for; branches stand beside each other. */
export function StageGraph({ stages, chosen, onChoose }: Props) {
  const { t } = useTranslation("runs");
  const narrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const { ref, width: room } = useElementSize();
  const sizes = narrow ? NARROW : fitting(stages, room);
  const { corners, edges, width, height } = draw(stages, sizes);
  return (
    <section className={`sf-panel ${classes.frame}`} aria-label={t("pipeline.graph")} tabIndex={0}>
      <div ref={ref} />
      <div style={{ position: "relative", width, height }}>
        <svg width={width} height={height} aria-hidden="true" style={{ position: "absolute" }}>
          {edges.map(({ from, to, path }) => (
            <path
              key={`${from} ${to}`}
              d={path}
              className={classes.line}
              data-chosen={from === chosen || to === chosen || undefined}
            />
          ))}
        </svg>
        {stages.map((stage) => {
          const { x: left = 0, y: top = 0 } = corners.get(stage.name) ?? {};
          const pressed = stage.name === chosen;
          return (
            <StageBox
              key={stage.name}
              stage={stage}
              pressed={pressed}
              onClick={() => onChoose(pressed ? undefined : stage.name)}
              style={{ left, top, width: sizes.width, height: sizes.height }}
            />
          );
        })}
      </div>
    </section>
  );
}

/** Boxes as wide as the page has room for. */
function fitting(stages: Stage[], room: number): Sizes {
  const ranks = 1 + Math.max(0, ...ranksOf(stages).values());
  const each = Math.floor((room + WIDE.rankGap) / ranks) - WIDE.rankGap;
  return room ? { ...WIDE, width: Math.min(WIDE.width, Math.max(LEAST, each)) } : WIDE;
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
