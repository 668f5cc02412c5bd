import { Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { formatBytes } from "@/format/number";
import { CommandBlock } from "@/ui/CommandBlock";
import { KeyText } from "@/ui/KeyText";
import { useKindText } from "../artifacts/kinds";

/** What the job left, and the command that goes on with it. */
export function Outputs({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const kindText = useKindText();
  const outputs = job.outputs ?? [];
  const model = outputs.find((one) => one.ref);
  return (
    <Stack gap={6}>
      {outputs.slice(-8).map((one) => (
        <Group key={one.path} gap="sm" justify="space-between" align="baseline" wrap="nowrap">
          <Text size="sm" className="sf-mono" miw={0}>
            <KeyText>{one.path}</KeyText>
          </Text>
          <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
            {one.ref ?? kindText(one.kind)} · {formatBytes(one.size)}
          </Text>
        </Group>
      ))}
      {model && (
        <>
          <Text size="sm" c="dimmed" mt={4}>
            {t("overview.next")}
          </Text>
          <CommandBlock text={`sf model add NAME ${model.ref}`} />
        </>
      )}
    </Stack>
  );
}
