import { Group, Stack, Text } from "@mantine/core";
import type { Job } from "@/api/client";
import { TimeAgo } from "@/ui/TimeAgo";
import { MetricCell, NameCell, ProgressCell, StateCell } from "./cells";

/** A job on a narrow screen: two lines of what matters most. */
export function CompactRow({ job, sort }: { job: Job; sort: string }) {
  const slim = { ...job, description: null };
  return (
    <Stack gap={2} miw={0}>
      <Group justify="space-between" wrap="nowrap" gap="xs" miw={0}>
        <NameCell job={slim} />
        <TimeAgo at={job.created_at} size="xs" />
      </Group>
      <Group justify="space-between" wrap="nowrap" gap="xs" align="flex-start" miw={0}>
        <StateCell job={job} />
        {job.progress?.total && (
          <div style={{ width: 112, flex: "none" }}>
            <ProgressCell job={job} />
          </div>
        )}
        {Object.keys(job.headline ?? {}).length > 0 ? (
          <div style={{ width: 84, flex: "none" }}>
            <MetricCell job={{ ...job, sparkline: null }} sort={sort} />
          </div>
        ) : (
          <Text size="xs" c="dimmed" className="sf-mono" truncate>
            {job.method}
          </Text>
        )}
      </Group>
    </Stack>
  );
}
