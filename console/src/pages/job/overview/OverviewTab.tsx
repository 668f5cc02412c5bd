import { Grid, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { Attempts } from "./Attempts";
import { Description } from "./Description";
import { Headline } from "./Headline";
import { LastLines } from "./LastLines";
import { Lineage } from "./Lineage";
import { Message } from "./Message";
import { Findings, Notes } from "./Notes";
import { Outputs } from "./Outputs";
import { Section } from "./Section";
import { Timeline } from "./Timeline";

/** How the job stands, how it came there, what it is made of and what it left. */
export function OverviewTab({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  // The message of a failed job quotes the end of its log, which is shown whole.
  const told = job.state === "failed" && (job.message ?? "").includes("\n");
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="md">
          {job.state === "failed" && <LastLines job={job} />}
          <Section title={t("overview.metrics")}>
            <Headline job={job} />
          </Section>
          <Section title={t("overview.attempts")}>
            <Attempts job={job} />
          </Section>
          {(job.outputs ?? []).length > 0 && (
            <Section title={t("overview.outputs")}>
              <Outputs job={job} />
            </Section>
          )}
          {(job.notes ?? []).length > 0 && (
            <Section title={t("overview.notes")}>
              <Notes job={job} />
            </Section>
          )}
          {(job.findings ?? []).length > 0 && (
            <Section title={t("overview.findings")}>
              <Findings job={job} />
            </Section>
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="md">
          {!told && <Message job={job} />}
          <Section title={t("overview.lineage")}>
            <Lineage job={job} />
          </Section>
          <Section title={t("overview.description")}>
            <Description job={job} />
          </Section>
          <Section title={t("overview.timeline")}>
            <Timeline job={job} />
          </Section>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
