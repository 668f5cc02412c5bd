import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format/number";
import { type Comparison, pictureOf } from "./compared";

interface Props {
  comparison: Comparison;
  width: number;
}

const HEIGHT = 18;

/** The difference and its interval on a line, with zero marked. */
export function Interval({ comparison, width }: Props) {
  const { t } = useTranslation("board");
  const picture = pictureOf(comparison);
  if (!picture) return "–";
  const { zero, low, high, point } = picture;
  const at = (place: number) => place * width;
  const label = t("compare.picture", {
    difference: formatNumber(comparison.difference),
    low: formatNumber(comparison.low),
    high: formatNumber(comparison.high),
  });
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={label} style={{ maxWidth: "100%" }}>
      <title>{label}</title>
      <line x1={0} x2={width} y1={9} y2={9} stroke="var(--sf-border)" />
      <line
        x1={at(zero)}
        x2={at(zero)}
        y1={1}
        y2={17}
        stroke="var(--mantine-color-dimmed)"
        strokeDasharray="3 2"
      />
      <rect
        x={at(low)}
        y={6}
        width={Math.max(2, at(high) - at(low))}
        height={6}
        rx={3}
        fill="var(--sf-running)"
        opacity={0.45}
      />
      <circle cx={at(point)} cy={9} r={4} fill="var(--sf-running)" />
    </svg>
  );
}
