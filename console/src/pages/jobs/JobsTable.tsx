import { Box, Checkbox, Skeleton, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Job } from "@/api/client";
import { useKeys } from "@/app/keys";
import { showRefusal } from "../job/header/useJobActions";
import { CompactRow } from "./CompactRow";
import { CELLS, gridOf } from "./cells";
import { MetricSort } from "./SortMenu";
import classes from "./table.module.css";
import type { JobPages } from "./useJobPages";
import { type Column, nextSort, SORTS, selectRange, sortedMetric, type View } from "./view";

const ROW = 46; // px
const COMPACT_ROW = 84;

interface Props {
  pages: JobPages;
  view: View;
  onView: (view: View) => void;
  /** Headline metrics that can be sorted by. */
  metrics: string[];
  columns: Column[];
  compact: boolean;
  selected: ReadonlySet<string>;
  onSelect: Dispatch<SetStateAction<ReadonlySet<string>>>;
  /** Told which rows are in view. */
  onRange: (first: number, last: number) => void;
}

/** Rows of jobs; only those in view exist in the page. */
export function JobsTable(props: Props) {
  const { pages, columns, compact, selected, onSelect, onRange } = props;
  const { t } = useTranslation("jobs");
  const navigate = useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  const anchor = useRef<{ id: string; row: number } | null>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const rows = useVirtualizer({
    count: pages.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => (compact ? COMPACT_ROW : ROW),
    overscan: 12,
  });
  const shown = rows.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => onRange(first, last), [first, last, onRange]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows change their height together
  useEffect(() => rows.measure(), [compact]);

  const rowOf = (id: string | null) =>
    [...pages.loaded].find(([, job]) => job.id === id)?.[0] ?? -1;
  function move(by: number) {
    const next = Math.min(pages.total - 1, Math.max(0, rowOf(cursor) + by));
    const job = pages.at(next);
    if (!job) return;
    setCursor(job.id);
    rows.scrollToIndex(next);
  }
  /** With a range, rows between that were never in view are selected too. */
  async function toggle(id: string, withRange: boolean) {
    const from = withRange ? anchor.current : null;
    const row = rowOf(id);
    anchor.current = { id, row };
    const order = from ? await pages.around(from.row, row) : [];
    onSelect((selected) => selectRange(selected, order, id, from?.id ?? null));
  }
  const turn = (id: string, withRange: boolean) =>
    void toggle(id, withRange).catch((error) => showRefusal(t("common:errors.title"), error));
  const open = (id: string) => void navigate({ to: "/jobs/$job", params: { job: id }, search: {} });
  const unselect = () => onSelect(new Set());
  const toggleRange = () => cursor && turn(cursor, true);
  function openCursor(event: KeyboardEvent) {
    if (cursor && !(event.target as HTMLElement).closest("a,button,input")) open(cursor);
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => cursor && turn(cursor, false),
    X: toggleRange,
    Escape: unselect,
    Enter: openCursor,
  });
  const { template, minWidth } = compact
    ? { template: "30px minmax(0, 1fr)", minWidth: 0 }
    : gridOf(columns);
  return (
    <Box
      ref={scroller}
      className={`sf-panel ${classes.scroller}`}
      role="table"
      aria-label={t("title")}
      aria-rowcount={pages.total + 1}
      tabIndex={0}
    >
      <Header {...props} template={template} minWidth={minWidth} />
      <div role="rowgroup" style={{ height: rows.getTotalSize(), position: "relative", minWidth }}>
        {shown.map((item) => {
          const job = pages.at(item.index);
          return (
            <div
              key={job?.id ?? `row ${item.index}`}
              role="row"
              aria-rowindex={item.index + 2}
              data-cursor={job !== undefined && job.id === cursor}
              data-selected={job !== undefined && selected.has(job.id)}
              className={classes.row}
              style={{
                gridTemplateColumns: template,
                height: item.size,
                transform: `translateY(${item.start}px)`,
              }}
              onClick={(event) => {
                if (!job || (event.target as HTMLElement).closest("a,button,input,label")) return;
                setCursor(job.id);
                if (event.shiftKey) turn(job.id, true);
                else if (event.ctrlKey || event.metaKey) turn(job.id, false);
                else open(job.id);
              }}
            >
              <Cells {...props} job={job} onToggle={turn} />
            </div>
          );
        })}
      </div>
    </Box>
  );
}

interface CellsProps extends Props {
  job: Job | undefined;
  onToggle: (id: string, withRange: boolean) => void;
}

function Cells({ job, columns, compact, selected, view, onToggle }: CellsProps) {
  const { t } = useTranslation("jobs");
  if (!job) {
    return (
      <div role="cell" style={{ gridColumn: "1 / -1" }}>
        <Skeleton height={12} width="60%" />
      </div>
    );
  }
  return (
    <>
      <div role="cell">
        <Checkbox
          size="xs"
          aria-label={t("select", { name: job.name })}
          checked={selected.has(job.id)}
          onChange={(event) =>
            onToggle(job.id, (event.nativeEvent as MouseEvent).shiftKey === true)
          }
        />
      </div>
      {compact ? (
        <div role="cell" className={classes.cell}>
          <CompactRow job={job} sort={view.sort} />
        </div>
      ) : (
        columns.map((column) => (
          <div key={column} role="cell" className={classes.cell}>
            {CELLS[column](job, view.sort)}
          </div>
        ))
      )}
    </>
  );
}

function Header(props: Props & { template: string; minWidth: number }) {
  const { pages, columns, compact, selected, onSelect, view, onView, template, minWidth } = props;
  const { t } = useTranslation("jobs");
  const loaded = [...pages.loaded.values()].map((job) => job.id);
  const all = loaded.length > 0 && loaded.every((id) => selected.has(id));
  return (
    <div role="rowgroup" className={classes.header} style={{ minWidth }}>
      <div role="row" className={classes.headerRow} style={{ gridTemplateColumns: template }}>
        <div role="columnheader">
          <Checkbox
            size="xs"
            aria-label={t("selectAll")}
            checked={all}
            indeterminate={!all && selected.size > 0}
            onChange={() => onSelect(new Set(all ? [] : loaded))}
          />
        </div>
        {compact ? (
          <div role="columnheader">{t("columns.name")}</div>
        ) : (
          columns.map((column) => (
            <HeaderCell
              key={column}
              column={column}
              view={view}
              onView={onView}
              metrics={props.metrics}
            />
          ))
        )}
      </div>
    </div>
  );
}

interface HeaderCellProps {
  metrics: string[];
  column: Column;
  view: View;
  onView: (view: View) => void;
}

function HeaderCell({ column, view, onView, metrics }: HeaderCellProps) {
  const { t } = useTranslation("jobs");
  if (column === "metric") {
    const by = sortedMetric(view.sort);
    const order = by === null ? "none" : by.down ? "descending" : "ascending";
    return (
      <div role="columnheader" aria-sort={order}>
        <MetricSort view={view} onView={onView} metrics={metrics} />
      </div>
    );
  }
  const by = SORTS[column];
  const label = t(`columns.${column}`);
  if (by === undefined) return <div role="columnheader">{label}</div>;
  const order = view.sort === by ? "ascending" : view.sort === `-${by}` ? "descending" : "none";
  return (
    <div role="columnheader" aria-sort={order}>
      <UnstyledButton
        fz="xs"
        fw={600}
        title={t("sortBy", { column: label })}
        onClick={() => onView({ ...view, sort: nextSort(view.sort, column) })}
      >
        {label}
        {order === "ascending" && <IconArrowUp size={12} aria-hidden />}
        {order === "descending" && <IconArrowDown size={12} aria-hidden />}
      </UnstyledButton>
    </div>
  );
}
