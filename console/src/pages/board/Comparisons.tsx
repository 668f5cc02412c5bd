import { Alert, Button, Group, Stack, Table, Text, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ApiError, type Schemas } from "@/api/client";
import { formatNumber } from "@/format/number";
import { both } from "@/i18n";
import { CodeText } from "@/ui/CodeText";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { Section } from "@/ui/Section";
import { WideTable } from "@/ui/WideTable";
import styles from "./board.module.css";
import { type Comparison, signed, verdictOf, type Wanted } from "./compared";
import { Interval } from "./Interval";
import { Items } from "./Items";
import { OneComparison } from "./OneComparison";
import { PairChoice } from "./PairChoice";
import { comparedQuery, pairQuery } from "./queries";

interface Props {
  wanted: Wanted;
  onChange: (next: Partial<Wanted>) => void;
}

const UNEQUAL = "compare/settings";

/** What can be said of B against A: every benchmark of both, and one of them closely. */
export function Comparisons({ wanted, onChange }: Props) {
  const { t } = useTranslation("board");
  const every = useQuery(comparedQuery(wanted));
  const pair = useQuery(pairQuery(wanted));
  const { data, refetch } = every;
  const error = every.error ?? pair.error;
  if (error) {
    const unequal = error instanceof ApiError && error.code === UNEQUAL;
    return (
      <Stack align="flex-start" gap="sm">
        <Problem
          error={error}
          title={t("compare.notCompared")}
          {...(unequal ? {} : { onRetry: () => void refetch() })}
        />
        {unequal && <Anyway onChange={onChange} />}
      </Stack>
    );
  }
  if (!data) return <Loading lines={8} />;
  const newest =
    data.comparisons.find((one) => one.benchmark === wanted.pack) ?? data.comparisons[0];
  const chosen = wanted.pair ? pair.data?.comparisons[0] : newest;
  const refused = data.refused ?? [];
  return (
    <>
      {wanted.anyway && (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {t("compare.anywayShown")}
          </Text>
          <Button variant="default" onClick={() => onChange({ anyway: false })}>
            {t("compare.strict")}
          </Button>
        </Group>
      )}
      {data.comparisons.length > 1 && (
        <Overview
          comparisons={data.comparisons}
          chosen={newest?.benchmark}
          onChoose={(pack) => onChange({ pack, pair: null })}
        />
      )}
      {refused.length > 0 && <Refused refused={refused} onChange={onChange} />}
      {(data.left_out ?? []).length > 0 && (
        <Text size="sm" c="dimmed">
          {t("compare.leftOut", { names: (data.left_out ?? []).join(", ") })}
        </Text>
      )}
      {newest && <PairChoice wanted={wanted} newest={newest} onChoose={onChange} />}
      {chosen ? (
        <>
          <OneComparison comparison={chosen} wanted={wanted} onChange={onChange} />
          <Items comparison={chosen} wanted={wanted} onChange={onChange} />
        </>
      ) : (
        <Loading lines={8} />
      )}
    </>
  );
}

function Anyway({ onChange }: Pick<Props, "onChange">) {
  const { t } = useTranslation("board");
  return (
    <Button variant="default" onClick={() => onChange({ anyway: true })}>
      {t("compare.anyway")}
    </Button>
  );
}

interface RefusedProps {
  refused: readonly Schemas["NotCompared"][];
  onChange: Props["onChange"];
}

function Refused({ refused, onChange }: RefusedProps) {
  const { t } = useTranslation("board");
  return (
    <Alert color="yellow" title={t("compare.notCompared")} icon={<IconAlertTriangle size={18} />}>
      <Stack gap="xs" align="flex-start">
        {refused.map((one) => (
          <Text key={one.benchmark} size="sm">
            <b>{one.benchmark}</b>: <CodeText>{both(one.message)}</CodeText>
          </Text>
        ))}
        {refused.some((one) => one.code === UNEQUAL) && <Anyway onChange={onChange} />}
      </Stack>
    </Alert>
  );
}

interface OverviewProps {
  comparisons: readonly Comparison[];
  chosen: string | undefined;
  onChoose: (benchmark: string) => void;
}

/** All benchmarks of both in a row each. */
function Overview({ comparisons, chosen, onChoose }: OverviewProps) {
  const { t } = useTranslation("board");
  return (
    <Section title={t("compare.benchmarks")} count={comparisons.length}>
      <WideTable minWidth={760}>
        <Table fz="sm" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("compare.benchmark")}</Table.Th>
              <Table.Th>A</Table.Th>
              <Table.Th>B</Table.Th>
              <Table.Th className={styles.nowrap}>{t("compare.difference")}</Table.Th>
              <Table.Th>{t("compare.interval")}</Table.Th>
              <Table.Th className={styles.nowrap}>{t("compare.p")}</Table.Th>
              <Table.Th>{t("compare.result")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {comparisons.map((one) => (
              <Table.Tr key={one.benchmark} bg={one.benchmark === chosen ? "var(--sf-panel)" : ""}>
                <Table.Td>
                  <UnstyledButton
                    fz="sm"
                    fw={600}
                    c="var(--sf-running)"
                    aria-current={one.benchmark === chosen}
                    onClick={() => onChoose(one.benchmark)}
                  >
                    {one.benchmark}
                  </UnstyledButton>
                  <Text size="xs" c="dimmed">
                    {one.metric}
                  </Text>
                </Table.Td>
                <Table.Td className={styles.nowrap}>{formatNumber(one.a.value)}</Table.Td>
                <Table.Td className={styles.nowrap}>{formatNumber(one.b.value)}</Table.Td>
                <Table.Td className={styles.nowrap}>
                  {signed(formatNumber(one.difference), one.difference)}
                </Table.Td>
                <Table.Td>
                  <Interval comparison={one} width={120} />
                </Table.Td>
                <Table.Td>
                  {typeof one.p_value === "number" ? formatNumber(one.p_value, 3) : "–"}
                </Table.Td>
                <Table.Td>{t(`compare.verdict.${verdictOf(one)}`)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Section>
  );
}
