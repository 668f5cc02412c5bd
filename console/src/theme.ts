/** Quiet and dense, one accent colour; everything else is grey or says a state. */
import {
  ActionIcon,
  Badge,
  Button,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  NavLink,
  Select,
  Switch,
  Table,
  TextInput,
  Tooltip,
} from "@mantine/core";

const forge: MantineColorsTuple = [
  "#eef0ff", "#dcdffb", "#b6bcf3", "#8e97ec", "#6c78e6", "#5765e2", "#4a58d8", "#3d49be", "#3540a9",
  "#2b3595",
]; // biome-ignore format: one palette

/** Mantine's greys for the dark scheme have no tint; ours go with the panels: text to deepest. */
const dark: MantineColorsTuple = [
  "#d7dae0", "#b9bec7", "#a3a9b3", "#6b717b", "#363b43", "#2a2e35", "#20242a", "#16181c", "#121417",
  "#0e1012",
]; // biome-ignore format: one palette

export const theme = createTheme({
  primaryColor: "forge",
  primaryShade: { light: 6, dark: 5 },
  colors: { forge, dark },
  autoContrast: true,
  defaultRadius: 6,
  fontFamily:
    'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans SC", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: "11.5px", sm: "13px", md: "14px", lg: "16px", xl: "19px" },
  spacing: { xs: "6px", sm: "10px", md: "14px", lg: "20px", xl: "28px" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "19px", lineHeight: "1.3" },
      h2: { fontSize: "16px", lineHeight: "1.35" },
      h3: { fontSize: "14px", lineHeight: "1.4" },
    },
  },
  components: {
    Button: Button.extend({ defaultProps: { size: "xs" } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: "subtle", color: "gray" } }),
    TextInput: TextInput.extend({ defaultProps: { size: "xs" } }),
    Select: Select.extend({ defaultProps: { size: "xs", comboboxProps: { shadow: "md" } } }),
    Switch: Switch.extend({ defaultProps: { withThumbIndicator: false } }),
    Badge: Badge.extend({ defaultProps: { variant: "light", color: "gray", tt: "none", fw: 500 } }),
    NavLink: NavLink.extend({ defaultProps: { variant: "light" } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 5, horizontalSpacing: "sm" } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 250, withArrow: true, fz: "xs" } }),
  },
});

/** Greys with enough contrast for small text (WCAG AA) in both schemes; state colours. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5c636b",
    "--mantine-color-placeholder": "#69717a",
    "--mantine-color-anchor": "#3d49be",
    "--mantine-color-error": "#c0262d",
    "--mantine-color-body": "#ffffff",
    "--sf-panel": "#f7f8fa",
    "--sf-border": "#e2e5e9",
    "--sf-running": "#3d49be",
    "--sf-succeeded": "#1f7a3d",
    "--sf-failed": "#c0262d",
    "--sf-waiting": "#5c636b",
    "--sf-warning": "#9a5b00",
  },
  dark: {
    "--mantine-color-dimmed": "#a3a9b3",
    "--mantine-color-placeholder": "#939aa5",
    "--mantine-color-anchor": "#9aa4f5",
    // Lighter than the ground, as in the light scheme they are darker; by default nearly black.
    "--mantine-color-gray-light": "#2a2e35",
    "--mantine-color-gray-light-hover": "#363b43",
    "--mantine-color-forge-light": "#282d57",
    "--mantine-color-forge-light-hover": "#323869",
    "--mantine-color-red-light": "#3b1e22",
    "--mantine-color-red-light-hover": "#4a252a",
    "--mantine-color-yellow-light": "#352a14",
    "--mantine-color-error": "#ff7b7f",
    "--mantine-color-body": "#16181c",
    "--sf-panel": "#1c1f24",
    "--sf-border": "#2d3138",
    "--sf-running": "#9aa4f5",
    "--sf-succeeded": "#5dc983",
    "--sf-failed": "#ff7b7f",
    "--sf-waiting": "#a3a9b3",
    "--sf-warning": "#f0b45a",
  },
});
