import { Button, Menu, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconCheck, IconSelector } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type Column, DEFAULT_SORT, metricSort, SORTS, sortedMetric, type View } from "./view";

interface Props {
  view: View;
  onView: (view: View) => void;
  /** Headline metrics that jobs have. */
  metrics: string[];
}

/** The heading of the headline metric: by which one, and which way, the jobs are sorted. */
export function MetricSort({ view, onView, metrics }: Props) {
  const { t } = useTranslation("jobs");
  const by = sortedMetric(view.sort);
  const label = t("columns.metric");
  if (metrics.length === 0) return <>{label}</>;
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <UnstyledButton
          fz="xs"
          fw={600}
          title={t("sortBy", { column: label })}
          style={{ whiteSpace: "nowrap" }}
        >
          {by ? by.name : label} <Arrow by={by} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <MetricItems view={view} onView={onView} metrics={metrics} />
        {by && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => onView({ ...view, sort: DEFAULT_SORT })}>
              {t("newest")}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Every order there is, for windows without headings. */
export function SortMenu({ view, onView, metrics }: Props) {
  const { t } = useTranslation("jobs");
  const columns = Object.entries(SORTS) as [Column, string][];
  const set = (sort: string) => onView({ ...view, sort });
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <Button variant="default" hiddenFrom="sm" rightSection={<IconSelector size={14} />}>
          {t("sort")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Item chosen={view.sort === DEFAULT_SORT} onClick={() => set(DEFAULT_SORT)}>
          {t("newest")}
        </Item>
        {columns.map(([column, by]) => (
          <Item key={column} chosen={view.sort === by} onClick={() => set(by)}>
            {column === "created" ? t("oldest") : t(`columns.${column}`)}
          </Item>
        ))}
        {metrics.length > 0 && <Menu.Divider />}
        <MetricItems view={view} onView={onView} metrics={metrics} />
      </Menu.Dropdown>
    </Menu>
  );
}

function MetricItems({ view, onView, metrics }: Props) {
  const { t } = useTranslation("jobs");
  return metrics.flatMap((name) =>
    [true, false].map((down) => {
      const sort = metricSort(name, down);
      return (
        <Item key={sort} chosen={view.sort === sort} onClick={() => onView({ ...view, sort })}>
          {t(down ? "highest" : "lowest", { name })}
        </Item>
      );
    }),
  );
}

interface ItemProps {
  chosen: boolean;
  onClick: () => void;
  children: string;
}

function Item({ chosen, onClick, children }: ItemProps) {
  return (
    <Menu.Item
      onClick={onClick}
      {...(chosen ? { "aria-current": true, rightSection: <IconCheck size={14} /> } : {})}
    >
      {children}
    </Menu.Item>
  );
}

function Arrow({ by }: { by: { down: boolean } | null }) {
  if (!by) return <IconSelector size={12} aria-hidden />;
  return by.down ? <IconArrowDown size={12} aria-hidden /> : <IconArrowUp size={12} aria-hidden />;
}
