/** uPlot in React: draws columns, tells the hovered position and the range that was dragged. */
import "uplot/dist/uPlot.min.css";
import { useComputedColorScheme } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { formatTicks } from "@/format/number";
import type { Columns, Span, XKind } from "./chartData";
import { inkOf, LINE_COLORS } from "./ink";
import { axisTime, markers } from "./plotParts";

export interface PlotProps {
  data: Columns;
  labels: string[];
  x: XKind;
  logX: boolean;
  logY: boolean;
  height: number;
  spans: Span[];
  odd: { x: number; what: string }[];
  /** Charts of one key share their crosshair. */
  sync?: string;
  onHover?: (index: number | null) => void;
  onZoom: (range: { lo: number; hi: number } | null) => void;
  /** Gets the canvas, to save it as a picture. */
  canvas?: (canvas: HTMLCanvasElement | null) => void;
  label: string;
}

const MARKED = 40;

/** Series of a plot: per line a band (low, high), the raw curve and the smoothed one. */
function seriesOf(props: PlotProps, ink: ReturnType<typeof inkOf>): uPlot.Series[] {
  return props.data.lines.flatMap((line, at) => {
    const color = LINE_COLORS[at % LINE_COLORS.length] ?? ink.accent;
    const raw = line.smooth ? `${color}66` : color;
    const edge: uPlot.Series = { stroke: "transparent", points: { show: false } };
    return [
      edge,
      edge,
      {
        stroke: raw,
        width: line.smooth ? 1 : 1.5,
        spanGaps: true,
        points: { show: isSparse, size: 4 },
      },
      { stroke: color, width: 1.6, spanGaps: true, points: { show: false } },
    ];
  });
}

/** Whether a curve has so few points that each is marked; asked anew for every drawing. */
function isSparse(plot: uPlot, series: number): boolean {
  let known = 0;
  for (const value of plot.data[series] ?? []) {
    if (value !== null && value !== undefined) known += 1;
    if (known >= MARKED) return false;
  }
  return true;
}

function bandsOf(lines: number): uPlot.Band[] {
  return Array.from({ length: lines }, (_, at) => {
    const color = LINE_COLORS[at % LINE_COLORS.length] ?? "#888888";
    return { series: [4 * at + 2, 4 * at + 1], fill: `${color}26` };
  });
}

function alignedOf(data: Columns): uPlot.AlignedData {
  const none = new Array<null>(data.x.length).fill(null);
  return [
    data.x,
    ...data.lines.flatMap((line) => [
      line.low ?? none,
      line.high ?? none,
      line.value,
      line.smooth ?? none,
    ]),
  ];
}

export function Plot(props: PlotProps) {
  const { ref: sized, width } = useElementSize();
  const host = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(sized, host);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const scheme = useComputedColorScheme("light");
  const ready = width > 0;
  // What needs a new plot; new points alone don't.
  const shape = [
    scheme, props.x, props.logX, props.logY, props.data.lines.length, props.sync,
    props.data.lines.map((line) => (line.smooth ? "s" : "r")).join(""),
  ].join(); // biome-ignore format: a list

  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` names what matters
  useEffect(() => {
    if (!ready || host.current === null) return;
    const made = new uPlot(options(latest, width), alignedOf(latest.current.data), host.current);
    plot.current = made;
    latest.current.canvas?.(made.ctx.canvas);
    return () => {
      latest.current.canvas?.(null);
      made.destroy();
      plot.current = null;
    };
  }, [shape, ready]);

  useEffect(() => {
    plot.current?.setData(alignedOf(props.data));
  }, [props.data]);

  useEffect(() => {
    if (width > 0) plot.current?.setSize({ width, height: props.height });
  }, [width, props.height]);

  return <div ref={ref} role="img" aria-label={props.label} style={{ height: props.height }} />;
}

function options(latest: { current: PlotProps }, width: number): uPlot.Options {
  const props = latest.current;
  const ink = inkOf(document.documentElement);
  const axis: uPlot.Axis = {
    stroke: ink.text,
    font: "11px system-ui, sans-serif",
    grid: { stroke: ink.grid, width: 1 },
    ticks: { show: false },
    gap: 4,
  };
  return {
    width,
    height: props.height,
    legend: { show: false },
    padding: [8, 18, 0, 0],
    scales: {
      x: { time: false, distr: props.logX ? 3 : 1 },
      y: { distr: props.logY ? 3 : 1 },
    },
    axes: [
      {
        ...axis,
        size: 26,
        values: (_, ticks) => (props.x === "time" ? ticks.map(axisTime) : formatTicks(ticks)),
      },
      { ...axis, size: 54, values: (_, ticks) => formatTicks(ticks) },
    ],
    series: [{}, ...seriesOf(props, ink)],
    bands: bandsOf(props.data.lines.length),
    cursor: {
      ...(props.sync ? { sync: { key: props.sync, setSeries: false } } : {}),
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
    },
    hooks: {
      setCursor: [(self) => latest.current.onHover?.(self.cursor.idx ?? null)],
      setSelect: [
        (self) => {
          if (self.select.width < 4) return;
          const lo = self.posToVal(self.select.left, "x");
          const hi = self.posToVal(self.select.left + self.select.width, "x");
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          latest.current.onZoom({ lo, hi });
        },
      ],
      drawClear: [(self) => markers.spans(self, latest.current.spans, ink)],
      draw: [(self) => markers.odd(self, latest.current.odd, ink)],
      ready: [(self) => self.over.addEventListener("dblclick", () => latest.current.onZoom(null))],
    },
  };
}
