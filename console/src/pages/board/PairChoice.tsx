import { Group, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { briefly, columnsOf, type Pair, pairsOf } from "./columns";
import type { Comparison, Wanted } from "./compared";
import { boardQuery } from "./queries";

interface Props {
  wanted: Wanted;
  /** What the server takes when nothing is said. */
  newest: Comparison;
  onChoose: (next: Partial<Wanted>) => void;
}

/** Where the two were measured under several settings: which results are compared. */
export function PairChoice({ wanted, newest, onChoose }: Props) {
  const { t } = useTranslation("board");
  const scores = useQuery(boardQuery).data;
  const pairs = useMemo(
    () => pairsOf(columnsOf(scores ?? []), [newest.a.model, newest.b.model], newest.benchmark),
    [scores, newest],
  );
  if (pairs.length < 2) return null;
  const [a, b] = wanted.pair ?? [newest.a.job, newest.b.job];
  const shown = pairs.find((one) => hasRun(one, "a", a) && hasRun(one, "b", b));
  const none = t("common:value.none");
  const label = ({ column }: Pair) =>
    column.number === 1
      ? t("compare.newest")
      : `${t("other", { number: column.number })}: ${briefly(column.differs, none)}`;
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {t("compare.results")}
      </Text>
      <Select
        w={{ base: "100%", sm: 460 }}
        aria-label={t("compare.results")}
        allowDeselect={false}
        value={shown ? `${shown.a},${shown.b}` : null}
        data={pairs.map((one) => ({ value: `${one.a},${one.b}`, label: label(one) }))}
        onChange={(value) => {
          const [left, right] = (value ?? "").split(",");
          if (left && right) onChoose({ pack: newest.benchmark, pair: [left, right] });
        }}
      />
    </Group>
  );
}

/** Whether a job is the result of a pair's side, or another run of the same. */
function hasRun({ column, ...pair }: Pair, side: "a" | "b", job: string): boolean {
  if (pair[side] === job) return true;
  const score = [...column.cells.values()].find((one) => one.job === pair[side]);
  return score?.runs?.jobs.includes(job) ?? false;
}
