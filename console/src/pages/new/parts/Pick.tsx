import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { methodsQuery } from "@/api/queries";
import { Problem } from "@/ui/Problem";
import { Section } from "@/ui/Section";
import { StateBadge } from "@/ui/StateBadge";
import { TimeAgo } from "@/ui/TimeAgo";
import { byData } from "../../methods/filter";
import { recentQuery } from "../form/calls";
import { keptDrafts } from "../form/kept";

/** Where a new job can begin: a method, a form that was left, a job that was. */
export function Pick() {
  const { t } = useTranslation("newJob");
  const navigate = useNavigate();
  const methods = useQuery(methodsQuery());
  return (
    <Stack gap="md" maw={760}>
      {methods.error && <Problem error={methods.error} onRetry={() => void methods.refetch()} />}
      <Group align="flex-end" gap="sm">
        <Select
          searchable
          w={{ base: "100%", xs: 340 }}
          maxDropdownHeight={420}
          label={t("pick.label")}
          placeholder={t("pick.placeholder")}
          data={byData(methods.data ?? []).map((group) => ({
            group: t(`methods:data.${group.kind}`, { defaultValue: group.kind }),
            items: group.methods.map((one) => one.name),
          }))}
          onChange={(method) => method && void navigate({ to: "/new", search: { method } })}
        />
        <Link to="/choose" search={{}}>
          <Button component="span" variant="default">
            {t("pick.choose")}
          </Button>
        </Link>
        <Link to="/methods" search={{}}>
          <Button component="span" variant="subtle" color="gray">
            {t("pick.methods")}
          </Button>
        </Link>
      </Group>
      <Drafts />
      <Recent />
    </Stack>
  );
}

/** Forms that were begun in this browser. */
function Drafts() {
  const { t } = useTranslation("newJob");
  const [drafts] = useState(keptDrafts);
  if (drafts.length === 0) return null;
  return (
    <Section title={t("pick.drafts")}>
      <Stack gap={6}>
        {drafts.map(({ address, at, draft }) => (
          <Group key={address} gap="sm" justify="space-between" align="baseline" wrap="nowrap">
            <Group gap="sm" miw={0} style={{ rowGap: 0 }}>
              <Link to="/new" search={Object.fromEntries(new URLSearchParams(address))}>
                {draft.name || draft.method}
              </Link>
              <Text size="xs" c="dimmed" className="sf-mono">
                {draft.method}
              </Text>
            </Group>
            <TimeAgo at={new Date(at).toISOString()} size="xs" />
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

/** The newest jobs, to run again with changes. */
function Recent() {
  const { t } = useTranslation("newJob");
  const jobs = (useQuery(recentQuery).data?.jobs ?? []).filter(
    (job) => !job.parent && !job.method.endsWith("/export"),
  );
  if (jobs.length === 0) return null;
  return (
    <Section title={t("pick.recent")}>
      <Stack gap={6}>
        {jobs.slice(0, 6).map((job) => (
          <Group key={job.id} gap="sm" justify="space-between" align="baseline" wrap="nowrap">
            <Group gap="sm" miw={0} style={{ rowGap: 0 }}>
              <Link to="/new" search={{ from: job.id }}>
                {job.name}
              </Link>
              <Text size="xs" c="dimmed" className="sf-mono">
                {job.method}
              </Text>
              <StateBadge state={job.state} />
            </Group>
            <TimeAgo at={job.created_at} size="xs" />
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
