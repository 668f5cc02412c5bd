import { Box, Table, Text } from "@mantine/core";
import { cellText, columnsOf, type Row } from "@/format/rows";

interface Props {
  rows: Row[];
  label: string;
  /** New names of columns, by their names in the file. */
  map?: Record<string, string>;
  /** Smaller letters and less of each cell. */
  small?: boolean;
}

/** Rows as a table; long values are cut. */
export function RowsTable({ rows, label, map = {}, small = false }: Props) {
  const columns = columnsOf(rows);
  return (
    <Box
      className="sf-panel"
      style={{ overflowX: "auto" }}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <Table fz={small ? "xs" : "sm"} miw={columns.length * (small ? 130 : 150)} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>
                <span className="sf-mono">{column}</span>
                {map[column] && (
                  <Text span size="xs" c="dimmed" className="sf-mono">
                    {` → ${map[column]}`}
                  </Text>
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file never move
            <Table.Tr key={index} style={{ verticalAlign: "top" }}>
              {columns.map((column) => (
                <Table.Td key={column}>
                  <Text
                    size={small ? "xs" : "sm"}
                    lineClamp={small ? 3 : 4}
                    style={{ whiteSpace: "pre-wrap" }}
                  >
                    {column in row ? cellText(row[column]) : ""}
                  </Text>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
