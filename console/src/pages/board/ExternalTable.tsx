import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format/number";
import { Section } from "@/ui/Section";
import { WideTable } from "@/ui/WideTable";
import type { ExternalScore } from "./board";
import styles from "./board.module.css";
import { settingText } from "./columns";

/** Scores that others measured, each with where it comes from. */
export function ExternalTable({ scores }: { scores: readonly ExternalScore[] }) {
  const { t } = useTranslation("board");
  return (
    <Section title={t("external.title")} count={scores.length}>
      <Text size="xs" c="dimmed" mb={6}>
        {t("external.text")}
      </Text>
      <WideTable minWidth={680}>
        <Table fz="sm" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {(["model", "benchmark", "value", "settings", "source", "date"] as const).map(
                (name) => (
                  <Table.Th key={name} className={styles.nowrap}>
                    {t(`external.${name}`)}
                  </Table.Th>
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {scores.map((one) => (
              <Row key={one.id} score={one} />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Section>
  );
}

function Row({ score }: { score: ExternalScore }) {
  const { t } = useTranslation("board");
  const settings = Object.entries(score.settings ?? {});
  return (
    <Table.Tr style={{ verticalAlign: "top" }}>
      <Table.Td fw={500}>{score.model}</Table.Td>
      <Table.Td>
        {score.benchmark}
        <Text size="xs" c="dimmed">
          {score.metric}
        </Text>
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        {formatNumber(score.value)}
        {typeof score.stderr === "number" && ` ± ${formatNumber(score.stderr, 2)}`}
        {typeof score.items === "number" && (
          <Text size="xs" c="dimmed">
            {t("items", { shown: score.items.toLocaleString() })}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {settings.length === 0
          ? "–"
          : settings.map(([key, value]) => `${key} ${settingText(value)}`).join(", ")}
      </Table.Td>
      <Table.Td>
        <Source text={score.source} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>{score.date ?? "–"}</Table.Td>
    </Table.Tr>
  );
}

/** A web address is a link; whatever else a source is, it is text. */
function Source({ text }: { text: string }) {
  if (!/^https?:\/\/\S+$/i.test(text)) return text;
  return (
    <a href={text} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}
