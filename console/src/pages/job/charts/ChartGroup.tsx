import { Box, Collapse, Group, SimpleGrid, Text, UnstyledButton } from "@mantine/core";
import { useIntersection, useLocalStorage } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { curvesQuery } from "@/api/metrics";
import { Problem } from "@/ui/Problem";
import { ChartCard } from "./ChartCard";
import { type Curve, moveTo } from "./chartData";
import { batchesOf, type Series, windowOf } from "./first";
import type { Arrangement, ChartSettings } from "./settings";

export interface GroupShared {
  job: string;
  live: boolean;
  start: number;
  tokens?: Curve;
  settings: ChartSettings;
  arrangement: Arrangement;
  arrange: (next: Arrangement) => void;
  onZoom: (range: { lo: number; hi: number } | null) => void;
}

/** A foldable group of charts; those far below the window are not asked for yet. */
export function ChartGroup(props: GroupShared & { title: string; series: Series[] }) {
  const { t } = useTranslation("charts");
  const [folded, setFolded] = useLocalStorage<string[]>({
    key: "starforge.charts.folded",
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const open = !folded.includes(props.title);
  return (
    <Box component="section" aria-label={props.title || t("other")}>
      <UnstyledButton
        aria-expanded={open}
        mb={6}
        onClick={() =>
          setFolded(open ? [...folded, props.title] : folded.filter((one) => one !== props.title))
        }
      >
        <Group gap={4}>
          {open ? <IconChevronDown size={15} /> : <IconChevronRight size={15} />}
          <Text fw={600} size="sm">
            {props.title || t("other")}
          </Text>
          <Text size="xs" c="dimmed">
            {props.series.length}
          </Text>
        </Group>
      </UnstyledButton>
      <Collapse expanded={open}>
        {open &&
          batchesOf(props.series).map((batch) => (
            <Batch key={batch[0]?.name ?? ""} {...props} series={batch} whole={props.series} />
          ))}
      </Collapse>
    </Box>
  );
}

function Batch(props: GroupShared & { series: Series[]; whole: Series[] }) {
  const { ref, entry } = useIntersection({ rootMargin: "400px" });
  const near = entry?.isIntersecting ?? false;
  const names = props.series.map((one) => one.name);
  const { settings, arrangement } = props;
  const query = useQuery({
    ...curvesQuery(props.job, names, windowOf(settings), props.live && near),
    enabled: near,
  });
  const order = props.whole.map((one) => one.name);

  function move(name: string, target: string | undefined) {
    if (target === undefined) return;
    props.arrange({ ...arrangement, order: moveTo(order, name, target) });
  }

  return (
    <Box ref={ref} mih={query.data ? undefined : 250 * Math.ceil(names.length / 3)} mb="sm">
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="sm">
        {props.series.map((one) => {
          const curve = query.data?.[one.name];
          const pinned = arrangement.pinned.includes(one.name);
          return curve ? (
            <ChartCard
              key={one.name}
              job={props.job}
              name={one.name}
              native={one.native && one.native !== one.name ? one.native : null}
              description={one.description ?? null}
              curve={curve}
              {...(props.tokens ? { tokens: props.tokens } : {})}
              start={props.start}
              settings={settings}
              sync={props.job}
              pinned={pinned}
              onPin={() =>
                props.arrange({
                  ...arrangement,
                  pinned: pinned
                    ? arrangement.pinned.filter((name) => name !== one.name)
                    : [...arrangement.pinned, one.name],
                })
              }
              onMove={(by) => move(one.name, order[order.indexOf(one.name) + by])}
              onDrop={(dragged) => move(dragged, one.name)}
              onZoom={props.onZoom}
            />
          ) : null;
        })}
      </SimpleGrid>
    </Box>
  );
}
