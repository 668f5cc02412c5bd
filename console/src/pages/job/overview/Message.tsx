import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { CodeText } from "@/ui/CodeText";
import { withoutAnsi } from "./errors";
import { Section } from "./Section";

/** Why the job is as it is, in the server's words. */
export function Message({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  if (!job.message) return null;
  return (
    <Section title={t("overview.message")}>
      <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
        <CodeText>{withoutAnsi(job.message)}</CodeText>
      </Text>
    </Section>
  );
}
