import { Box, Table, Text } from "@mantine/core";
import { cellText, columnsOf, type Row } from "../new/form/rows";

/** Rows as a table; long values are cut. */
export function RowsTable({ rows, label }: { rows: Row[]; label: string }) {
  const columns = columnsOf(rows);
  return (
    <Box
      className="sf-panel"
      style={{ overflowX: "auto" }}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <Table fz="sm" miw={columns.length * 150} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column} className="sf-mono">
                {column}
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
                  <Text size="sm" lineClamp={4} style={{ whiteSpace: "pre-wrap" }}>
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
