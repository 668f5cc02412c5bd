import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format/number";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { SearchBox } from "@/ui/SearchBox";
import { Section } from "@/ui/Section";
import { LongText } from "../job/samples/SampleCard";
import styles from "./board.module.css";
import { type Comparison, type Item, isRight, leftOf, SHOWN, type Wanted } from "./compared";
import { ITEMS, itemsQuery } from "./queries";

interface Props {
  comparison: Comparison;
  wanted: Wanted;
  onChange: (next: Partial<Wanted>) => void;
}

/** The items of a comparison with both answers side by side; those that flipped at first. */
export function Items({ comparison, wanted, onChange }: Props) {
  const { t } = useTranslation("board");
  const { a, b, benchmark } = comparison;
  const answer = useQuery(itemsQuery(a.job, b.job, benchmark, wanted));
  const onSearch = useCallback((search: string) => onChange({ search }), [onChange]);
  const names = comparison.counts ? "outcomes" : "graded";
  const { data, error } = answer;
  const total = data?.total ?? 0;
  const plain = wanted.show === "flipped" && wanted.search === "";
  return (
    <Section title={t("compare.itemsTitle")} bare>
      <Stack gap="sm">
        <Group gap="xs">
          <Select
            w={170}
            aria-label={t("compare.itemsTitle")}
            allowDeselect={false}
            value={wanted.show}
            data={SHOWN.map((value) => ({ value, label: t(`compare.${names}.${value}`) }))}
            onChange={(show) => onChange({ show: show ?? "flipped" })}
          />
          <SearchBox value={wanted.search} onChange={onSearch} label={t("compare.itemsSearch")} />
        </Group>
        {error && <Problem error={error} onRetry={() => void answer.refetch()} />}
        {!data && !error && <Loading />}
        {data && total === 0 && (
          <Text size="sm" c="dimmed">
            {t(plain ? "compare.noFlips" : "compare.noItems")}
          </Text>
        )}
        <Stack gap="sm" style={{ opacity: answer.isPlaceholderData ? 0.6 : 1 }}>
          {data?.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item may be asked twice
            <ItemCard key={`${item.item} ${at}`} item={item} comparison={comparison} />
          ))}
        </Stack>
        {data && total > 0 && (
          <Pager total={total} page={wanted.page} onPage={(page) => onChange({ page })} />
        )}
      </Stack>
    </Section>
  );
}

function ItemCard({ item, comparison }: { item: Item; comparison: Comparison }) {
  const { t } = useTranslation("board");
  return (
    <article className="sf-panel" style={{ padding: 10 }}>
      <div className={styles.asked} title={t("compare.item", { id: item.item })}>
        <LongText text={item.prompt ?? ""} label={t("compare.prompt")} />
        {item.reference && <LongText text={item.reference} label={t("compare.expected")} />}
      </div>
      <div className={styles.sides}>
        <Side name="A" answer={item.a} comparison={comparison} />
        <Side name="B" answer={item.b} comparison={comparison} />
      </div>
    </article>
  );
}

interface SideProps {
  name: "A" | "B";
  answer: Item["a"];
  comparison: Comparison;
}

function Side({ name, answer, comparison }: SideProps) {
  const { t } = useTranslation("board");
  const right = comparison.counts ? isRight(answer.score, comparison.higher_is_better) : undefined;
  const left = leftOf(answer);
  const Mark = right ? IconCheck : IconX;
  return (
    <section className={styles.side} data-right={right} aria-label={name}>
      <Text size="xs" fw={600} component="div">
        {name}{" "}
        {right === undefined ? (
          t("compare.scored", { score: formatNumber(answer.score) })
        ) : (
          <span style={{ color: right ? "var(--sf-succeeded)" : "var(--sf-failed)" }}>
            <Mark size={13} aria-hidden style={{ verticalAlign: -2 }} />{" "}
            {t(right ? "compare.right" : "compare.wrong")}
          </span>
        )}
      </Text>
      <LongText text={answer.completion ?? ""} label="" />
      {left !== null && (
        <Text size="xs" c="dimmed">
          {t("compare.extracted")} <span className="sf-mono">{left || t("compare.nothing")}</span>
        </Text>
      )}
    </section>
  );
}

interface PagerProps {
  total: number;
  page: number;
  onPage: (page: number) => void;
}

function Pager({ total, page, onPage }: PagerProps) {
  const { t } = useTranslation("board");
  const pages = Math.max(1, Math.ceil(total / ITEMS));
  return (
    <Group justify="space-between">
      <Text size="xs" c="dimmed" role="status">
        {t("compare.shown", { count: total, shown: total.toLocaleString() })}
      </Text>
      {pages > 1 && (
        <Group gap="xs">
          <Button variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            {t("compare.previous")}
          </Button>
          <Text size="xs">
            {page} / {pages}
          </Text>
          <Button variant="default" disabled={page >= pages} onClick={() => onPage(page + 1)}>
            {t("compare.next")}
          </Button>
        </Group>
      )}
    </Group>
  );
}
