import { Group, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { jobEventsQuery } from "@/api/queries";
import { CodeText } from "@/ui/CodeText";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { isLive } from "@/ui/StateBadge";
import { TimeAgo } from "@/ui/TimeAgo";
import { withoutAnsi } from "./errors";

/** What happened to the job, the newest first. */
export function Timeline({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const found = useQuery({
    ...jobEventsQuery(job.id),
    // A change of state is an event: asked for at once, the last one of a job too.
    queryKey: ["job", job.id, "events", `${job.state} ${job.attempt}`],
    placeholderData: keepPreviousData,
    refetchInterval: isLive(job.state) ? 5000 : false,
  });
  if (found.error) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <Loading lines={4} />;
  return (
    <Stack
      gap={6}
      component="ol"
      m={0}
      p={0}
      tabIndex={0}
      aria-label={t("overview.timeline")}
      style={{ listStyle: "none", maxHeight: 340, overflow: "auto" }}
    >
      {found.data.toReversed().map((one) => (
        <Group key={one.id} component="li" gap="sm" wrap="nowrap" align="baseline">
          <Text component="span" size="sm" w={104} style={{ flex: "none" }}>
            <TimeAgo at={one.time} />
          </Text>
          <Text size="sm" component="span" miw={0} lineClamp={2}>
            <CodeText>{withoutAnsi(one.text ?? one.kind)}</CodeText>
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
