import { Box, Grid, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { CodeText } from "@/ui/CodeText";
import { Attempts } from "./Attempts";
import { Description } from "./Description";
import { Headline } from "./Headline";
import { LastLines } from "./LastLines";
import { Lineage } from "./Lineage";
import { Findings, Notes } from "./Notes";
import { Outputs } from "./Outputs";
import { Timeline } from "./Timeline";

/** A titled box of the overview. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box component="section" className="sf-panel" p="sm" miw={0}>
      <Title order={2} size="h3" mb={8}>
        {title}
      </Title>
      {children}
    </Box>
  );
}

/** How the job stands, how it came there, what it is made of and what it left. */
export function OverviewTab({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
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
          {job.message && (
            <Box className="sf-panel" p="sm" bg="var(--sf-panel)">
              <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
                <CodeText>{job.message}</CodeText>
              </Text>
            </Box>
          )}
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
