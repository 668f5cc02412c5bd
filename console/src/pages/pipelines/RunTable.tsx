import { Box, Group, Pagination, Select, Stack, Table, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useRows } from "@/app/rows";
import { oneLine } from "@/format/oneLine";
import { CountBar } from "@/ui/CountBar";
import { Elapsed } from "@/ui/Elapsed";
import { RunState } from "@/ui/RunState";
import { SearchBox } from "@/ui/SearchBox";
import { TimeAgo } from "@/ui/TimeAgo";
import { RUN_STATES, type RunStateName } from "./queries";
import { type RunFilter, runsSearch } from "./runs";

interface Run {
  id: string;
  name: string;
  state: RunStateName;
  counts?: Record<string, number>;
  /** How many parts it is to have, where not all are there yet. */
  planned?: number;
  created_at: string;
  ended_at?: string | null;
}

interface BarProps {
  to: "/pipelines" | "/sweeps";
  filter: RunFilter;
  label: string;
}

/** Search and state, kept in the address. */
export function RunsToolbar({ to, filter, label }: BarProps) {
  const { t } = useTranslation("runs");
  const navigate = useNavigate();
  const { state, search } = filter;
  const go = useCallback(
    (next: Partial<Record<"state" | "q", string>>) =>
      void navigate({
        to,
        search: { state: state ?? "", q: search ?? "", ...next },
        replace: true,
      }),
    [navigate, to, state, search],
  );
  const onSearch = useCallback((q: string) => go({ q }), [go]);
  return (
    <Group gap="xs" className="sf-fields">
      <SearchBox value={search ?? ""} onChange={onSearch} label={label} />
      <Select
        w={150}
        clearable
        aria-label={t("columns.state")}
        placeholder={t("anyState")}
        value={state ?? null}
        onChange={(value) => go({ state: value ?? "" })}
        data={RUN_STATES.map((value) => ({ value, label: t(`common:states.${value}`) }))}
      />
    </Group>
  );
}

/** A column of one kind of run; hidden on a phone. */
export interface Column<T> {
  title: string;
  cell: (run: T) => ReactNode;
}

interface TableProps<T extends Run> {
  to: "/pipelines" | "/sweeps";
  runs: T[];
  /** What the parts of a run are called. */
  parts: string;
  columns: Column<T>[];
  /** Below the name: why it ended as it did. */
  remark?: (run: T) => string | null | undefined;
}

/** Runs, one a row: name, state, how far they are, and what else their kind has. */
export function RunTable<T extends Run>({ to, runs, parts, columns, remark }: TableProps<T>) {
  const { t } = useTranslation("runs");
  const navigate = useNavigate();
  const marked = useRows(
    runs.map((one) => one.id),
    (id) => void navigate({ to: `${to}/$run`, params: { run: id }, search: {} }),
  );
  return (
    <Box className="sf-panel" style={{ overflowX: "auto" }}>
      <Table fz="sm" highlightOnHover>
        <Table.Thead style={{ whiteSpace: "nowrap" }}>
          <Table.Tr>
            <Table.Th>{t("columns.name")}</Table.Th>
            <Table.Th>{t("columns.state")}</Table.Th>
            <Table.Th>{parts}</Table.Th>
            {columns.map((one) => (
              <Table.Th key={one.title} visibleFrom="sm">
                {one.title}
              </Table.Th>
            ))}
            <Table.Th visibleFrom="sm">{t("columns.started")}</Table.Th>
            <Table.Th visibleFrom="sm">{t("columns.duration")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((one) => (
            <Table.Tr
              key={one.id}
              id={`row-${one.id}`}
              data-marked={one.id === marked || undefined}
            >
              <Table.Td>
                <Link to={`${to}/$run`} params={{ run: one.id }} search={{}} className="sf-link">
                  <Text span size="sm" fw={600}>
                    {one.name}
                  </Text>
                </Link>
                <Remark text={remark?.(one)} />
              </Table.Td>
              <Table.Td>
                <RunState state={one.state} />
              </Table.Td>
              <Table.Td>
                <CountBar counts={one.counts} planned={one.planned} />
              </Table.Td>
              {columns.map((column) => (
                <Table.Td key={column.title} visibleFrom="sm">
                  {column.cell(one)}
                </Table.Td>
              ))}
              <Table.Td visibleFrom="sm">
                <TimeAgo at={one.created_at} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Elapsed from={one.created_at} to={one.ended_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

function Remark({ text }: { text: string | null | undefined }) {
  if (!text) return null;
  return (
    <Text size="xs" c="dimmed" lineClamp={1}>
      {oneLine(text)}
    </Text>
  );
}

/** The way to older pages; nothing when there is only one. */
export function Pages({ filter, pages }: { filter: RunFilter; pages: number }) {
  const { t } = useTranslation("runs");
  const navigate = useNavigate();
  if (pages < 2) return null;
  return (
    <Stack align="center">
      <Pagination
        size="sm"
        total={pages}
        value={filter.page}
        onChange={(page) =>
          void navigate({ to: "/pipelines", search: runsSearch({ ...filter, page }) })
        }
        getItemProps={(page) => ({ "aria-label": t("page", { page, pages }) })}
        getControlProps={(control) => ({
          "aria-label": control === "next" ? t("older") : t("newer"),
        })}
      />
    </Stack>
  );
}
