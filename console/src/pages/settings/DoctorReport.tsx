import { Box, List, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { CodeText } from "@/ui/CodeText";
import type { Report } from "./queries";

/** What the doctor found: all as locked, or each thing that is not. */
export function DoctorReport({ report }: { report: Report }) {
  const { t } = useTranslation("settings");
  return (
    <Box mt="xs" role="status">
      <Text size="sm" style={{ color: report.ok ? "var(--sf-succeeded)" : "var(--sf-failed)" }}>
        {report.ok
          ? t("sound", { count: report.packages, python: report.python ?? "" })
          : t("unsound")}
      </Text>
      {report.problems.length > 0 && (
        <List size="sm">
          {report.problems.map((one) => (
            <List.Item key={`${both(one.what)} ${one.package}`}>
              <CodeText>{both(one.what)}</CodeText>
            </List.Item>
          ))}
        </List>
      )}
      {report.hint && (
        <Text size="sm" c="dimmed">
          <CodeText>{both(report.hint)}</CodeText>
        </Text>
      )}
    </Box>
  );
}
