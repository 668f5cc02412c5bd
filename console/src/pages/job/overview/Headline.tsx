import { SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { curvesQuery } from "@/api/metrics";
import { formatNumber } from "@/format/number";
import { Sparkline } from "@/ui/Sparkline";
import { isLive } from "@/ui/StateBadge";

const POINTS = 48;

/** The last values of the primary metrics, each with its small curve. */
export function Headline({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const names = Object.keys(job.headline ?? {});
  const curves = useQuery(curvesQuery(job.id, names, { buckets: POINTS }, isLive(job.state))).data;
  if (names.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("overview.noMetrics")}
      </Text>
    );
  }
  return (
    <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
      {names.map((name) => (
        <Stack key={name} gap={2} miw={0}>
          <Link
            to="/jobs/$job/$tab"
            params={{ job: job.id, tab: "charts" }}
            search={{}}
            className="sf-link"
          >
            <Text size="xs" c="dimmed" className="sf-mono">
              {name}
            </Text>
          </Link>
          <Text fz={18} fw={600}>
            {formatNumber(job.headline?.[name])}
          </Text>
          <Sparkline values={curves?.[name]?.value ?? []} width={130} height={26} label={name} />
        </Stack>
      ))}
    </SimpleGrid>
  );
}
