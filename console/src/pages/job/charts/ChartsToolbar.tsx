import { Button, Group, SegmentedControl, Slider, Switch, Text } from "@mantine/core";
import { IconZoomReset } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { SearchBox } from "@/ui/SearchBox";
import type { XKind } from "./chartData";
import type { ChartSettings } from "./settings";

interface Props {
  settings: ChartSettings;
  change: (change: Partial<ChartSettings>) => void;
  /** What the horizontal axis can count; empty where there is no choice. */
  axes: XKind[];
}

/** Axis, smoothing, logarithms, search, and the way back from a zoom. */
export function ChartsToolbar({ settings, change, axes }: Props) {
  const { t } = useTranslation("charts");
  return (
    <Group gap="sm" align="center" className="sf-fields">
      <SearchBox
        value={settings.filter}
        onChange={(filter) => change({ filter })}
        label={t("search")}
        width={210}
      />
      {axes.length > 0 && (
        <SegmentedControl
          size="xs"
          aria-label={t("xAxis")}
          value={settings.x}
          // A range of steps means nothing on an axis of time.
          onChange={(x) =>
            change({ x: x as XKind, lo: undefined as never, hi: undefined as never })
          }
          data={axes.map((axis) => ({ value: axis, label: t(`axes.${axis}`) }))}
        />
      )}
      <Group gap={8} wrap="nowrap">
        <Text size="xs" c="dimmed" id="smoothing">
          {t("smoothing")}
        </Text>
        <Slider
          w={{ base: 84, sm: 110 }}
          size="sm"
          min={0}
          max={0.99}
          step={0.01}
          label={(value) => value.toFixed(2)}
          defaultValue={settings.smoothing}
          onChangeEnd={(smoothing) => change({ smoothing })}
          thumbProps={{ "aria-labelledby": "smoothing" }}
        />
      </Group>
      <Switch
        size="xs"
        label={t("logX")}
        checked={settings.logX}
        onChange={(event) => change({ logX: event.currentTarget.checked })}
      />
      <Switch
        size="xs"
        label={t("logY")}
        checked={settings.logY}
        onChange={(event) => change({ logY: event.currentTarget.checked })}
      />
      {settings.lo !== undefined && (
        <Button
          variant="default"
          leftSection={<IconZoomReset size={14} />}
          onClick={() => change({ lo: undefined as never, hi: undefined as never })}
        >
          {t("resetZoom")}
        </Button>
      )}
    </Group>
  );
}
