import { ActionIcon, Box, Group, Menu, Modal, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconArrowLeft,
  IconArrowRight,
  IconDots,
  IconDownload,
  IconMaximize,
  IconPhoto,
  IconPin,
  IconPinFilled,
} from "@tabler/icons-react";
import { type DragEvent, memo, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { wholeCurve } from "@/api/metrics";
import { formatNumber } from "@/format/number";
import { saveCanvas, saveText } from "@/ui/save";
import { attemptSpans, type Curve, columns, oddPoints, positions, toCsv } from "./chartData";
import { inkOf } from "./ink";
import { Plot } from "./Plot";
import { axisTime } from "./plotParts";
import type { ChartSettings } from "./settings";

export interface ChartCardProps {
  job: string;
  name: string;
  native: string | null;
  description: string | null;
  curve: Curve;
  tokens?: Curve;
  /** Unix seconds of the job's start. */
  start: number;
  settings: ChartSettings;
  sync: string;
  pinned: boolean;
  onPin: () => void;
  onMove: (by: -1 | 1) => void;
  onDrop: (dragged: string) => void;
  onZoom: (range: { lo: number; hi: number } | null) => void;
}

const DRAGGED = "text/x-starforge-chart";

/** One metric's chart with its value under the crosshair, its menu, and a full-screen view. */
export const ChartCard = memo(function ChartCard(props: ChartCardProps) {
  const { t } = useTranslation("charts");
  const [large, { open, close }] = useDisclosure();
  const [over, setOver] = useState(false);

  function drop(event: DragEvent) {
    const dragged = event.dataTransfer.getData(DRAGGED);
    setOver(false);
    if (dragged && dragged !== props.name) {
      event.preventDefault();
      props.onDrop(dragged);
    }
  }

  return (
    <Box
      className="sf-panel"
      p="xs"
      component="section"
      aria-label={props.name}
      style={{ outline: over ? "2px solid var(--sf-running)" : undefined, minWidth: 0 }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(DRAGGED)) {
          event.preventDefault();
          setOver(true);
        }
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Chart {...props} height={190} onLarge={open} />
      <Modal
        opened={large}
        onClose={close}
        fullScreen
        title={props.name}
        closeButtonProps={{ "aria-label": t("close") }}
      >
        {large && <Chart {...props} height={Math.max(window.innerHeight - 170, 240)} />}
      </Modal>
    </Box>
  );
});

function Chart(props: ChartCardProps & { height: number; onLarge?: () => void }) {
  const { curve, settings, start, tokens } = props;
  const { x, smoothing, logX, logY } = settings;
  const [hovered, setHovered] = useState<number | null>(null);
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const data = useMemo(() => {
    const shape = { x, start, smoothing, logY, ...(tokens ? { tokens } : {}) };
    return columns([{ key: props.name, label: props.name, curve }], shape);
  }, [curve, tokens, x, start, smoothing, logY, props.name]);
  const at = useMemo(() => positions(curve, x, start, tokens), [curve, x, start, tokens]);
  const spans = useMemo(() => attemptSpans(curve, at), [curve, at]);
  const odd = useMemo(() => oddPoints(curve, at), [curve, at]);

  return (
    <>
      <ChartHead {...props} canvas={canvas} />
      <Readout data={data} hovered={hovered} x={x} />
      <Plot
        data={data}
        labels={[props.name]}
        x={x}
        logX={logX}
        logY={logY}
        height={props.height}
        spans={spans}
        odd={odd}
        sync={props.sync}
        onHover={setHovered}
        onZoom={props.onZoom}
        canvas={(made) => {
          canvas.current = made;
        }}
        label={describe(props.name, curve)}
      />
    </>
  );
}

/** What a chart shows, for those who don't see it. */
function describe(name: string, curve: Curve): string {
  const known = curve.value.filter((value): value is number => value !== null);
  if (known.length === 0) return name;
  const [first, last] = [known[0], known.at(-1)];
  return `${name}: ${formatNumber(first)} → ${formatNumber(last)}`;
}

type HeadProps = ChartCardProps & {
  onLarge?: () => void;
  canvas: { current: HTMLCanvasElement | null };
};

function ChartHead({ canvas, ...props }: HeadProps) {
  const { t } = useTranslation("charts");
  const note = [props.description, props.native && `${t("native")}: ${props.native}`]
    .filter(Boolean)
    .join("\n");
  return (
    <Group justify="space-between" wrap="nowrap" gap={4}>
      <Tooltip label={note} disabled={!note} multiline maw={360} style={{ whiteSpace: "pre-line" }}>
        <Text
          fw={600}
          size="sm"
          truncate
          draggable
          style={{ cursor: "grab" }}
          onDragStart={(event) => event.dataTransfer.setData(DRAGGED, props.name)}
        >
          {props.name}
        </Text>
      </Tooltip>
      <Group gap={0} wrap="nowrap">
        <ActionIcon
          size="sm"
          aria-label={props.pinned ? t("unpin") : t("pin")}
          aria-pressed={props.pinned}
          onClick={props.onPin}
        >
          {props.pinned ? <IconPinFilled size={14} /> : <IconPin size={14} />}
        </ActionIcon>
        {props.onLarge && (
          <ActionIcon size="sm" aria-label={t("fullScreen")} onClick={props.onLarge}>
            <IconMaximize size={14} />
          </ActionIcon>
        )}
        <ChartMenu {...props} canvas={canvas} />
      </Group>
    </Group>
  );
}

function ChartMenu({ canvas, ...props }: HeadProps) {
  const { t } = useTranslation("charts");
  const file = props.name.replaceAll("/", "-");
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon size="sm" aria-label={t("menu", { name: props.name })}>
          <IconDots size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconArrowLeft size={14} />} onClick={() => props.onMove(-1)}>
          {t("moveBack")}
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowRight size={14} />} onClick={() => props.onMove(1)}>
          {t("moveOn")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPhoto size={14} />}
          onClick={() =>
            canvas.current &&
            saveCanvas(canvas.current, `${file}.png`, inkOf(document.documentElement).paper)
          }
        >
          {t("png")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDownload size={14} />}
          onClick={() =>
            void wholeCurve(props.job, props.name).then(
              (curve) => curve && saveText(toCsv(props.name, curve), `${file}.csv`, "text/csv"),
            )
          }
        >
          {t("csv")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ReadoutProps {
  data: ReturnType<typeof columns>;
  hovered: number | null;
  x: ChartSettings["x"];
}

/** The value under the crosshair, else the last one. */
function Readout({ data, hovered, x }: ReadoutProps) {
  const { t } = useTranslation("charts");
  const line = data.lines[0];
  const index = hovered ?? lastKnown(line?.value ?? []);
  const value = line?.value[index] ?? null;
  const place = data.x[index];
  const low = line?.low?.[index];
  const high = line?.high?.[index];
  const band =
    low !== null && low !== undefined && high !== null && high !== undefined && low !== high
      ? ` (${formatNumber(low)} … ${formatNumber(high)})`
      : "";
  return (
    <Text size="xs" c="dimmed" truncate h={17}>
      {place === undefined ? (
        t("noPoints")
      ) : (
        <>
          <Text span size="xs" fw={600} c="var(--mantine-color-text)">
            {formatNumber(value)}
          </Text>
          {band} · {t(`at.${x}`, { at: x === "time" ? axisTime(place) : formatNumber(place) })}
        </>
      )}
    </Text>
  );
}

function lastKnown(column: (number | null)[]): number {
  for (let at = column.length - 1; at >= 0; at -= 1) if (column[at] !== null) return at;
  return 0;
}
