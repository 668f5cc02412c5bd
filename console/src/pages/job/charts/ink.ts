/** Colours of charts, from the theme in force; lines apart for the colour-blind (Okabe–Ito). */
export const LINE_COLORS = [
  "#6472e6", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#8a8f98", "#b8a400",
]; // biome-ignore format: a list

export interface Ink {
  text: string;
  grid: string;
  shade: string;
  bad: string;
  accent: string;
  paper: string;
}

export function inkOf(root: HTMLElement): Ink {
  const style = getComputedStyle(root);
  const read = (name: string, fallback: string) => style.getPropertyValue(name).trim() || fallback;
  return {
    text: read("--mantine-color-dimmed", "#666666"),
    grid: read("--sf-border", "#e2e5e9"),
    shade: "rgba(128, 132, 150, 0.12)",
    bad: read("--sf-failed", "#c0262d"),
    accent: read("--sf-running", "#3d49be"),
    paper: read("--mantine-color-body", "#ffffff"),
  };
}
