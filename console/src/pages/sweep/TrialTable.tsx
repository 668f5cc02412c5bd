import { Anchor, Box, Table, Text, UnstyledButton } from "@mantine/core";
import { IconStarFilled } from "@tabler/icons-react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useRowKeys } from "@/app/rows";
import { formatNumber } from "@/format/number";
import { oneLine } from "@/format/oneLine";
import { RunState } from "@/ui/RunState";
import type { SweepDetail, Trial } from "../pipelines/queries";
import { nextOrder, type Order, parameterNames, parseOrder, sorted } from "./trials";

/** All trials: parameters, value, state, job; `?sort=` says the order. */
export function TrialTable({ id, sweep }: { id: string; sweep: SweepDetail }) {
  const { t } = useTranslation("runs");
  const navigate = useNavigate();
  const search: Record<string, string> = useSearch({ strict: false });
  const order = parseOrder(search.sort);
  const trials = sorted(sweep.trials ?? [], order);
  const names = parameterNames(sweep.trials ?? []);
  const jobs = new Map(trials.map((one) => [String(one.number), one.job_id]));
  const go = (change: Record<string, string>) =>
    void navigate({
      to: "/sweeps/$run",
      params: { run: id },
      search: { ...search, ...change },
      replace: true,
      resetScroll: false,
    });
  const marked = search.trial;
  useRowKeys(
    [...jobs.keys()],
    marked,
    (trial) => go({ trial }),
    (number) => {
      const job = jobs.get(number);
      if (job) void navigate({ to: "/jobs/$job", params: { job }, search: {} });
    },
  );
  const sort = (by: string) => go({ sort: nextOrder(order, by) });
  return (
    <Box className="sf-panel" style={{ overflowX: "auto" }} tabIndex={0}>
      <Table fz="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Heading text="#" by="number" order={order} onSort={sort} />
            {names.map((name) => (
              <Heading key={name} text={name} by={`p.${name}`} order={order} onSort={sort} />
            ))}
            <Heading text={sweep.metric} by="value" order={order} onSort={sort} />
            <Heading text={t("columns.state")} by="state" order={order} onSort={sort} />
            <Table.Th>{t("sweep.job")}</Table.Th>
            <Table.Th>{t("sweep.remark")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {trials.map((one) => (
            <Row
              key={one.number}
              trial={one}
              names={names}
              best={one.number === sweep.best}
              marked={String(one.number) === marked}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

interface HeadingProps {
  text: string;
  by: string;
  order: Order;
  onSort: (by: string) => void;
}

function Heading({ text, by, order, onSort }: HeadingProps) {
  const { t } = useTranslation("runs");
  const here = order.by === by;
  return (
    <Table.Th aria-sort={here ? (order.down ? "descending" : "ascending") : "none"}>
      <UnstyledButton
        fz="sm"
        fw={600}
        style={{ whiteSpace: "nowrap" }}
        aria-label={t("sweep.sortBy", { column: text })}
        onClick={() => onSort(by)}
      >
        {text}
        {here ? (order.down ? " ↓" : " ↑") : ""}
      </UnstyledButton>
    </Table.Th>
  );
}

interface RowProps {
  trial: Trial;
  names: string[];
  best: boolean;
  marked: boolean;
}

function Row({ trial, names, best, marked }: RowProps) {
  const { t } = useTranslation("runs");
  return (
    <Table.Tr id={`row-${trial.number}`} data-marked={marked || undefined}>
      <Table.Td>{trial.number}</Table.Td>
      {names.map((name) => (
        <Table.Td key={name} className="sf-mono" style={{ whiteSpace: "nowrap" }}>
          {trial.parameters[name] ?? "–"}
        </Table.Td>
      ))}
      <Table.Td fw={best ? 650 : undefined} style={{ whiteSpace: "nowrap" }}>
        {formatNumber(trial.value)}
        {best && (
          <IconStarFilled
            size={12}
            role="img"
            aria-label={t("sweep.isBest")}
            style={{ color: "var(--sf-succeeded)", marginLeft: 6, verticalAlign: "-1px" }}
          />
        )}
      </Table.Td>
      <Table.Td>
        <RunState state={trial.state} />
        {trial.pruned_at != null && (
          <Text span size="xs" c="dimmed" pl={14} style={{ whiteSpace: "nowrap" }}>
            {t("sweep.atStep", { step: trial.pruned_at })}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {trial.job_id && (
          <Link to="/jobs/$job" params={{ job: trial.job_id }} search={{}}>
            <Anchor component="span" size="sm" className="sf-mono" style={{ whiteSpace: "nowrap" }}>
              {trial.job_id}
            </Anchor>
          </Link>
        )}
      </Table.Td>
      <Table.Td miw={140}>
        <Text size="sm" lineClamp={2}>
          {oneLine(trial.message ?? "")}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}
