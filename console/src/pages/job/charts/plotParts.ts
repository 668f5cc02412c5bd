/** What is drawn onto a plot by hand: shades of attempts, marks of NaN and infinity. */
import type uPlot from "uplot";
import type { Span } from "./chartData";
import type { Ink } from "./ink";

/** Seconds on an axis: `45s`, `12m`, `3h20`. */
export function axisTime(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 120) return `${Math.round(seconds * 10) / 10}s`;
  if (size < 7200) return `${Math.round(seconds / 6) / 10}m`;
  const hours = Math.trunc(seconds / 3600);
  const minutes = Math.round((size % 3600) / 60);
  return minutes ? `${hours}h${String(minutes).padStart(2, "0")}` : `${hours}h`;
}

export const markers = {
  /** Every other attempt on a grey ground, with its number at the top. */
  spans(plot: uPlot, spans: Span[], ink: Ink): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
    spans.forEach((span, at) => {
      const left = plot.valToPos(span.from, "x", true);
      const right = plot.valToPos(span.to, "x", true);
      if (at % 2 === 1) {
        ctx.fillStyle = ink.shade;
        ctx.fillRect(left, bbox.top, Math.max(right - left, 1), bbox.height);
      }
      ctx.fillStyle = ink.text;
      ctx.fillText(`#${span.attempt}`, left + 3, bbox.top + 11 * devicePixelRatio);
    });
    ctx.restore();
  },

  /** A cross at the bottom where a value is NaN, an arrow where it is infinite. */
  odd(plot: uPlot, odd: { x: number; what: string }[], ink: Ink): void {
    if (odd.length === 0) return;
    const { ctx, bbox } = plot;
    const size = 4 * devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ink.bad;
    ctx.lineWidth = 1.6 * devicePixelRatio;
    for (const point of odd) {
      const x = plot.valToPos(point.x, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      const y = point.what === "inf" ? bbox.top + size * 2 : bbox.top + bbox.height - size * 2;
      ctx.beginPath();
      if (point.what === "nan") {
        ctx.moveTo(x - size, y - size);
        ctx.lineTo(x + size, y + size);
        ctx.moveTo(x + size, y - size);
        ctx.lineTo(x - size, y + size);
      } else {
        const tip = point.what === "inf" ? -size : size;
        ctx.moveTo(x - size, y - tip);
        ctx.lineTo(x, y + tip);
        ctx.lineTo(x + size, y - tip);
      }
      ctx.stroke();
    }
    ctx.restore();
  },
};
