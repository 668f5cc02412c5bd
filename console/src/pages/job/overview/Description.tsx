import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { useJobActions } from "../header/useJobActions";

/** What people wrote about the job, to change in place. */
export function Description({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const { edit } = useJobActions(job);
  const [text, setText] = useState<string | null>(null);
  if (text === null) {
    return (
      <Stack gap={6} align="flex-start">
        {job.description && (
          <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
            {job.description}
          </Text>
        )}
        <Button variant="default" size="compact-xs" onClick={() => setText(job.description ?? "")}>
          {job.description ? t("overview.editDescription") : t("overview.describe")}
        </Button>
      </Stack>
    );
  }
  return (
    <Stack gap="xs">
      <Textarea
        size="xs"
        autosize
        minRows={3}
        maxLength={10_000}
        autoFocus
        aria-label={t("overview.description")}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button
          loading={edit.isPending}
          onClick={() =>
            edit.mutate({ description: text.trim() || null }, { onSuccess: () => setText(null) })
          }
        >
          {t("common:actions.save")}
        </Button>
        <Button variant="default" onClick={() => setText(null)}>
          {t("common:actions.cancel")}
        </Button>
      </Group>
    </Stack>
  );
}
