import { ActionIcon, Group, Stack, Table, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { JobDetail, Schemas } from "@/api/client";
import { formatBytes } from "@/format/number";
import { CopyButton } from "@/ui/CopyButton";
import { Empty } from "@/ui/Empty";
import { KeyText } from "@/ui/KeyText";
import { isLive } from "@/ui/StateBadge";
import { TimeAgo } from "@/ui/TimeAgo";
import { WideTable } from "@/ui/WideTable";
import { useKindText } from "./kinds";

type Output = Schemas["Output"];

/** Address of one file in the job's folder. */
export function fileUrl(job: string, path: string): string {
  return `/api/v1/jobs/${encodeURIComponent(job)}/artifacts/file?path=${encodeURIComponent(path)}`;
}

/** Models and checkpoints are folders on the server: what is one file can be downloaded. */
function isFile(output: Output): boolean {
  return output.kind === "file" || /\.[A-Za-z0-9]{1,8}$/.test(output.path);
}

/** What the job left, with size and a way to get it. */
export function ArtifactsTab({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const outputs = job.outputs ?? [];
  if (outputs.length === 0) {
    const text = isLive(job.state) ? t("artifacts.noneLive") : t("artifacts.noneEnded");
    return <Empty title={t("artifacts.none")} text={text} />;
  }
  return (
    <Stack gap="md">
      <WideTable minWidth={660}>
        <Table fz="sm" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("artifacts.kind")}</Table.Th>
              <Table.Th>{t("artifacts.name")}</Table.Th>
              <Table.Th>{t("artifacts.path")}</Table.Th>
              <Table.Th ta="right">{t("artifacts.size")}</Table.Th>
              <Table.Th>{t("artifacts.made")}</Table.Th>
              <Table.Th>
                <VisuallyHidden>{t("common:actions.download")}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {outputs.map((one) => (
              <Row key={`${one.kind} ${one.path}`} job={job} output={one} />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      {job.folder && (
        <div>
          <Text size="sm" c="dimmed">
            {t("artifacts.folder")}
          </Text>
          <Group gap={4}>
            <span className="sf-mono">{job.folder}</span>
            <CopyButton text={job.folder} label={t("artifacts.copyPath")} />
          </Group>
        </div>
      )}
    </Stack>
  );
}

function Row({ job, output }: { job: JobDetail; output: Output }) {
  const { t } = useTranslation("job");
  const kind = useKindText()(output.kind);
  const label = `${t("common:actions.download")}: ${output.name}`;
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: "nowrap" }}>{kind}</Table.Td>
      <Table.Td>
        {output.name}
        {output.ref && (
          <Text span size="xs" c="dimmed" className="sf-mono" ml={8}>
            {output.ref}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="sf-mono">
        <KeyText>{output.path}</KeyText>
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
        {formatBytes(output.size)}
      </Table.Td>
      <Table.Td>
        <TimeAgo at={output.created_at} />
      </Table.Td>
      <Table.Td>
        {isFile(output) ? (
          <Tooltip label={label}>
            <ActionIcon
              component="a"
              href={fileUrl(job.id, output.path)}
              download={output.name}
              size="sm"
              aria-label={label}
            >
              <IconDownload size={14} />
            </ActionIcon>
          </Tooltip>
        ) : (
          <CopyButton
            text={job.folder ? `${job.folder}/${output.path}` : output.path}
            label={t("artifacts.copyPath")}
          />
        )}
      </Table.Td>
    </Table.Tr>
  );
}
