import { Badge, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { CodeText } from "@/ui/CodeText";

/** What could not be used of what the job wrote, or not as it came. */
export function Notes({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  return (
    <Stack gap={8}>
      {(job.notes ?? []).map((note) => (
        <div key={`${note.attempt} ${note.path} ${note.kind} ${note.offset}`}>
          <Text size="sm">
            <CodeText>{note.text}</CodeText>
          </Text>
          <Text size="xs" c="dimmed" className="sf-mono">
            #{note.attempt} {note.path}
            {note.count > 1 ? ` · ${t("overview.times", { count: note.count })}` : ""}
          </Text>
        </div>
      ))}
    </Stack>
  );
}

/** Warnings that were shown at submission and not taken as a reason to stop. */
export function Findings({ job }: { job: JobDetail }) {
  return (
    <Stack gap={8}>
      {(job.findings ?? []).map((one) => (
        <div key={`${one.code} ${one.key} ${one.line}`}>
          <Group gap={6}>
            <Badge size="sm">{one.severity}</Badge>
            <Text size="xs" c="dimmed" className="sf-mono">
              {one.code}
            </Text>
          </Group>
          <Text size="sm">
            <CodeText>{one.message}</CodeText>
          </Text>
        </div>
      ))}
    </Stack>
  );
}
