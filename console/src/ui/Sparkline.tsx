/** A small curve without axes. Points that are no numbers leave a gap. */
interface Props {
  values: (number | null)[];
  width?: number;
  height?: number;
  label: string;
}

/** The path of `values` in a box; empty when there are fewer than two numbers. */
export function sparkPath(values: (number | null)[], width: number, height: number): string {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  if (known.length < 2) return "";
  const low = Math.min(...known);
  const span = Math.max(...known) - low || 1;
  const dx = width / (values.length - 1);
  let pen = "M";
  let path = "";
  values.forEach((value, index) => {
    if (value === null || !Number.isFinite(value)) {
      pen = "M";
      return;
    }
    const y = height - ((value - low) / span) * height;
    path += `${pen}${(index * dx).toFixed(1)} ${y.toFixed(1)}`;
    pen = "L";
  });
  return path;
}

export function Sparkline({ values, width = 72, height = 18, label }: Props) {
  const path = sparkPath(values, width, height - 2);
  if (!path) return null;
  return (
    <svg width={width} height={height} role="img" aria-label={label} style={{ flex: "none" }}>
      <path
        d={path}
        transform="translate(0 1)"
        fill="none"
        stroke="var(--mantine-color-forge-4)"
        strokeWidth={1.3}
      />
    </svg>
  );
}
