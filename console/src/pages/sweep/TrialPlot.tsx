/** Values of trials over their number or a parameter, as points. */
import "uplot/dist/uPlot.min.css";
import { useComputedColorScheme } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { formatTicks } from "@/format/number";
import { type Ink, inkOf } from "../job/charts/ink";
import {
  type Axis,
  BY_NUMBER,
  bestSoFar,
  nearest,
  type Point,
  rangeOf,
  roomy,
  shortened,
} from "./trials";

interface Props {
  points: Point[];
  axis: Axis;
  best: number | null;
  goal: "max" | "min";
  label: string;
  height: number;
  onHover: (point: Point | null) => void;
  onOpen: (point: Point) => void;
}

/** Columns for uPlot: x, the best so far, points that succeeded, others, the best. */
function columns({ points, axis, best, goal }: Props): uPlot.AlignedData {
  const only = (wanted: (point: Point) => boolean) =>
    points.map((one) => (wanted(one) ? one.y : null));
  const isBest = (one: Point) => one.trial.number === best;
  return [
    points.map((one) => one.x),
    axis.name === BY_NUMBER ? bestSoFar(points, goal) : points.map(() => null),
    only((one) => one.trial.state === "succeeded" && !isBest(one)),
    only((one) => one.trial.state !== "succeeded" && !isBest(one)),
    only(isBest),
  ];
}

function dots(stroke: string, fill: string, size: number): uPlot.Series {
  return { stroke, paths: () => null, points: { show: true, size, fill, width: 1.5 } };
}

function seriesOf(ink: Ink & { good: string }): uPlot.Series[] {
  return [
    {},
    {
      stroke: ink.text,
      width: 1.5,
      alpha: 0.5,
      paths: uPlot.paths.stepped?.({ align: 1 }) ?? null,
      points: { show: false },
    },
    dots(ink.accent, ink.accent, 7),
    dots(ink.text, ink.paper, 7),
    dots(ink.good, ink.good, 11),
  ] as uPlot.Series[];
}

function options(latest: { current: Props }, width: number): uPlot.Options {
  const { axis, height } = latest.current;
  const style = getComputedStyle(document.documentElement);
  const base = inkOf(document.documentElement);
  const ink = { ...base, good: style.getPropertyValue("--sf-succeeded").trim() || base.accent };
  const look: uPlot.Axis = {
    stroke: ink.text,
    font: "11px system-ui, sans-serif",
    grid: { stroke: ink.grid, width: 1 },
    ticks: { show: false },
    gap: 4,
  };
  const words = axis.words;
  const ticks = words
    ? { splits: () => words.map((_, place) => place) }
    : axis.name === BY_NUMBER
      ? { incrs: [1, 2, 5, 10, 20, 50, 100] }
      : {};
  return {
    width,
    height,
    legend: { show: false },
    padding: [8, 14, 0, 0],
    scales: {
      x: {
        time: false,
        distr: axis.log ? 3 : 1,
        range: (_, low, high) => rangeOf(latest.current.axis, low, high),
      },
      y: { range: (_, low, high) => roomy(low, high, false) },
    },
    axes: [
      {
        ...look,
        size: 26,
        ...ticks,
        values: (_, at) => (words ? words.map((word) => shortened(word)) : formatTicks(at)),
      },
      { ...look, size: 54, values: (_, ticks) => formatTicks(ticks) },
    ],
    series: seriesOf(ink),
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    hooks: { setCursor: [(self) => latest.current.onHover(under(self, latest.current.points))] },
  };
}

/** The point below the pointer. */
function under(plot: uPlot, points: Point[]): Point | null {
  const { left = -1, top = -1 } = plot.cursor;
  if (left < 0) return null;
  return nearest(
    points,
    (one) => ({ left: plot.valToPos(one.x, "x"), top: plot.valToPos(one.y, "y") }),
    { left, top },
  );
}

export function TrialPlot(props: Props) {
  const { ref: sized, width } = useElementSize();
  const host = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(sized, host);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const scheme = useComputedColorScheme("light");
  const ready = width > 0;
  const { axis } = props;
  // What needs a new plot; new points alone don't.
  const shape = [scheme, axis.name, axis.log, axis.words?.join()].join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` names what matters
  useEffect(() => {
    if (!ready || host.current === null) return;
    const made = new uPlot(options(latest, width), columns(latest.current), host.current);
    made.over.addEventListener("click", () => {
      const point = under(made, latest.current.points);
      if (point) latest.current.onOpen(point);
    });
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = null;
    };
  }, [shape, ready]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: all that columns are made of
  useEffect(() => {
    plot.current?.setData(columns(latest.current));
  }, [props.points, props.best]);

  useEffect(() => {
    if (width > 0) plot.current?.setSize({ width, height: props.height });
  }, [width, props.height]);

  return <div ref={ref} role="img" aria-label={props.label} style={{ height: props.height }} />;
}
