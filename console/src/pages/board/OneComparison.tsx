import { Alert, Group, SimpleGrid, Stack, Table, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { formatNumber, formatPercent } from "@/format/number";
import { Section } from "@/ui/Section";
import styles from "./board.module.css";
import { settingText } from "./columns";
import { type Comparison, OUTCOMES, signed, verdictOf, type Wanted } from "./compared";
import { Interval } from "./Interval";

interface Props {
  comparison: Comparison;
  wanted: Wanted;
  onChange: (next: Partial<Wanted>) => void;
}

const COLOR = {
  a: "var(--sf-running)",
  b: "var(--sf-running)",
  chance: "var(--sf-waiting)",
  one: "var(--sf-waiting)",
} as const;

/** One benchmark: what came out in words, the figures, who got what right. */
export function OneComparison({ comparison, wanted, onChange }: Props) {
  const { t } = useTranslation("board");
  const verdict = verdictOf(comparison);
  const differs = Object.entries(comparison.differs ?? {});
  return (
    <Section title={`${comparison.benchmark} ${comparison.metric}`}>
      <Stack gap="sm">
        {differs.length > 0 && <Unequal differs={differs} />}
        <div>
          <Text size="lg" fw={600} style={{ color: COLOR[verdict] }} role="status">
            {t(`compare.verdict.${verdict}`)}
          </Text>
          <Text size="sm" c="dimmed" maw={720}>
            {because(comparison, t)}
          </Text>
        </div>
        <Figures comparison={comparison} />
        {comparison.counts && (
          <div className={styles.outcomes}>
            {OUTCOMES.map((outcome) => (
              <button
                key={outcome}
                type="button"
                className={styles.outcome}
                aria-pressed={wanted.show === outcome}
                onClick={() => onChange({ show: wanted.show === outcome ? "flipped" : outcome })}
              >
                <Text size="xs" c="dimmed">
                  {t(`compare.outcomes.${outcome}`)}
                </Text>
                <Text span size="lg" fw={600}>
                  {comparison.counts?.[outcome].toLocaleString()}
                </Text>{" "}
                <Text span size="xs" c="dimmed">
                  {formatPercent((comparison.counts?.[outcome] ?? 0) / comparison.items)}
                </Text>
              </button>
            ))}
          </div>
        )}
      </Stack>
    </Section>
  );
}

/** Why the verdict is what it is. */
function because(of: Comparison, t: ReturnType<typeof useTranslation<"board">>["t"]): string {
  const verdict = verdictOf(of);
  const [items, level] = [of.items.toLocaleString(), formatPercent(of.level)];
  if (verdict === "one") return t("compare.because.one");
  if (of.difference === 0) return t("compare.because.equal", { items });
  if (verdict === "chance") return t("compare.because.chance", { items });
  const { counts } = of;
  return counts
    ? t("compare.because.better", {
        items,
        level,
        a: counts.both + counts.only_a,
        b: counts.both + counts.only_b,
      })
    : t("compare.because.graded", {
        items,
        level,
        a: formatNumber(of.a.value),
        b: formatNumber(of.b.value),
      });
}

function Unequal({ differs }: { differs: [string, unknown[]][] }) {
  const { t } = useTranslation("board");
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={t("compare.unequal")}>
      <Text size="sm">{t("compare.unequalText")}</Text>
      <Table fz="xs" mt={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("compare.setting")}</Table.Th>
            <Table.Th>A</Table.Th>
            <Table.Th>B</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differs.map(([key, values]) => (
            <Table.Tr key={key}>
              <Table.Td>{key}</Table.Td>
              <Table.Td className="sf-mono">{settingText(values[0])}</Table.Td>
              <Table.Td className="sf-mono">{settingText(values[1])}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Alert>
  );
}

function Figures({ comparison }: { comparison: Comparison }) {
  const { t } = useTranslation("board");
  const of = comparison;
  const error = typeof of.stderr === "number" ? ` ± ${formatNumber(of.stderr, 2)}` : "";
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }} spacing="sm">
      <Figure name="A" value={formatNumber(of.a.value)}>
        <SideFacts side={of.a} />
      </Figure>
      <Figure name="B" value={formatNumber(of.b.value)}>
        <SideFacts side={of.b} />
      </Figure>
      <Figure
        name={t("compare.difference")}
        value={`${signed(formatNumber(of.difference), of.difference)}${error}`}
      >
        <Interval comparison={of} width={150} />
      </Figure>
      {typeof of.low === "number" && (
        <Figure
          name={t("compare.facts.interval", { level: formatPercent(of.level) })}
          value={`${formatNumber(of.low, 3)} … ${formatNumber(of.high, 3)}`}
        >
          {t("compare.facts.bootstrap", { rounds: of.rounds.toLocaleString() })}
        </Figure>
      )}
      {typeof of.p_value === "number" && (
        <Figure name={t("compare.p")} value={formatNumber(of.p_value, 3)}>
          {t("compare.facts.exact")}
        </Figure>
      )}
      <Figure name={t("compare.facts.items")} value={of.items.toLocaleString()}>
        {(of.missing_b ?? 0) > 0 && <div>{t("compare.facts.onlyA", { count: of.missing_b })}</div>}
        {(of.missing_a ?? 0) > 0 && <div>{t("compare.facts.onlyB", { count: of.missing_a })}</div>}
      </Figure>
    </SimpleGrid>
  );
}

function SideFacts({ side }: { side: Schemas["ComparedSide"] }) {
  const { t } = useTranslation("board");
  return (
    <Group gap={6}>
      <Link
        to="/jobs/$job"
        params={{ job: side.job }}
        search={{}}
        className="sf-mono"
        style={{ color: "var(--sf-running)" }}
        title={side.model}
      >
        {side.job}
      </Link>
      {typeof side.seed === "number" && <span>{t("compare.facts.seed", { seed: side.seed })}</span>}
    </Group>
  );
}

interface FigureProps {
  name: string;
  value: string;
  children?: ReactNode;
}

function Figure({ name, value, children }: FigureProps) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text size="xs" c="dimmed" fw={600}>
        {name}
      </Text>
      <Text size="md" fw={600}>
        {value}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        {children}
      </Text>
    </div>
  );
}
