import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { formatDuration } from "@/format/time";
import { currentLanguage } from "@/i18n";
import { CodeText } from "@/ui/CodeText";
import { StateBadge } from "@/ui/StateBadge";
import { TimeAgo } from "@/ui/TimeAgo";
import { WideTable } from "@/ui/WideTable";
import { reasonText, secondsRun } from "../state";
import { withoutAnsi } from "./errors";

/** Every run of the job, the newest first, each with how it ended. */
export function Attempts({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const attempts = (job.attempts ?? []).toReversed();
  return (
    <WideTable minWidth={480}>
      <Table fz="sm" horizontalSpacing="xs">
        <Table.Thead style={{ whiteSpace: "nowrap" }}>
          <Table.Tr>
            <Table.Th>{t("overview.attempt")}</Table.Th>
            <Table.Th>{t("overview.state")}</Table.Th>
            <Table.Th>{t("overview.reason")}</Table.Th>
            <Table.Th>{t("overview.exit")}</Table.Th>
            <Table.Th>{t("overview.started")}</Table.Th>
            <Table.Th>{t("overview.took")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {attempts.map((one) => (
            <Table.Tr key={one.number} style={{ verticalAlign: "top" }}>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                #{one.number} {one.resume ? t("overview.resumed") : ""}
              </Table.Td>
              <Table.Td>
                <StateBadge state={one.state} />
              </Table.Td>
              <Table.Td>
                <Text size="sm">{reasonText(one.reason, t) || "–"}</Text>
                {one.message && one.message !== job.message && (
                  <Text size="xs" c="dimmed" lineClamp={4} style={{ whiteSpace: "pre-line" }}>
                    <CodeText>{withoutAnsi(one.message)}</CodeText>
                  </Text>
                )}
              </Table.Td>
              <Table.Td>{one.exit_code ?? "–"}</Table.Td>
              <Table.Td>
                <TimeAgo at={one.started_at} />
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                {formatDuration(secondsRun(one, Date.now()), currentLanguage())}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
