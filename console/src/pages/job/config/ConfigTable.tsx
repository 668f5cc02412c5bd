import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { KeyText } from "@/ui/KeyText";
import { WideTable } from "@/ui/WideTable";
import { type ConfigRow, valueText } from "./configRows";

interface Props {
  rows: ConfigRow[];
  /** Further columns: upstream's default with the source, or the other job's value. */
  columns: "default" | "theirs" | "none";
  /** Name of the other job. */
  other?: string;
  caption?: string;
}

/** Keys and values, with what they differ from. */
export function ConfigTable({ rows, columns, other = "", caption }: Props) {
  const { t } = useTranslation("job");
  const sourceText = (source: string) =>
    t(`config.sources.${source}` as "config.sources.pin", { defaultValue: source });
  return (
    <WideTable minWidth={columns === "none" ? 300 : 620}>
      <Table fz="sm" highlightOnHover captionSide="top">
        {caption && <Table.Caption ta="left">{caption}</Table.Caption>}
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={columns === "none" ? "52%" : "36%"}>{t("config.key")}</Table.Th>
            <Table.Th>{t("config.value")}</Table.Th>
            {columns === "default" && <Table.Th>{t("config.default")}</Table.Th>}
            {columns === "default" && <Table.Th>{t("config.source")}</Table.Th>}
            {columns === "theirs" && <Table.Th>{t("config.theirs", { name: other })}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key} style={{ verticalAlign: "top" }}>
              <Table.Td className="sf-mono">
                <KeyText>{row.key}</KeyText>
              </Table.Td>
              <Value value={row.value} strong={columns === "default" && row.source !== undefined} />
              {columns === "default" && (
                <Value value={row.default} none={row.source === undefined ? "" : undefined} />
              )}
              {columns === "default" && (
                <Table.Td>
                  {row.source && sourceText(row.source)}
                  {row.parameter && (
                    <Text span size="xs" c="dimmed" className="sf-mono" ml={6}>
                      {row.parameter}
                    </Text>
                  )}
                </Table.Td>
              )}
              {columns === "theirs" && <Value value={row.theirs} />}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

interface ValueProps {
  value: unknown;
  strong?: boolean;
  none?: string | undefined;
}

function Value({ value, strong = false, none }: ValueProps) {
  const { t } = useTranslation("job");
  return (
    <Table.Td className="sf-mono" fw={strong ? 600 : undefined} style={{ whiteSpace: "pre-wrap" }}>
      {value === undefined ? (
        <Text span c="dimmed" size="sm">
          {none ?? t("config.absent")}
        </Text>
      ) : (
        valueText(value)
      )}
    </Table.Td>
  );
}
