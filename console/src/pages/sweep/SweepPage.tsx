import { Anchor, Grid, Group, Stack, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { formatNumber } from "@/format/number";
import { CommandBlock } from "@/ui/CommandBlock";
import { CountBar } from "@/ui/CountBar";
import { Elapsed } from "@/ui/Elapsed";
import { Page } from "@/ui/Page";
import { PageUntil } from "@/ui/PageUntil";
import { RunState } from "@/ui/RunState";
import { Section } from "@/ui/Section";
import { TimeAgo } from "@/ui/TimeAgo";
import { MethodLink } from "../job/MethodLink";
import { type SweepDetail, sweepQuery } from "../pipelines/queries";
import { RunActions } from "../pipelines/RunActions";
import { commandOf, verbOf } from "../pipelines/runs";
import { TrialTable } from "./TrialTable";
import { Values } from "./Values";

/** One sweep: its best trial, the values of all, and the table of trials. */
export function SweepPage() {
  const { t } = useTranslation("runs");
  const { run: id = "" } = useParams({ strict: false });
  const query = sweepQuery(id);
  const found = useQuery(query);
  const sweep = found.data;
  if (!sweep) return <PageUntil title={id} query={found} />;
  return (
    <Page
      title={sweep.name}
      subtitle={<Facts sweep={sweep} />}
      actions={<RunActions kind="sweep" run={sweep} queryKey={query.queryKey} />}
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Values id={id} sweep={sweep} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <Best sweep={sweep} />
            <Section title={t("sweep.terminal")} bare>
              <CommandBlock text={commands(sweep)} />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
      <Section
        title={t("sweep.trials")}
        count={t("sweep.made", { count: (sweep.trials ?? []).length, all: sweep.planned })}
        bare
        actions={
          <Link to="/jobs" search={{ tag: `sweep:${sweep.name}` }}>
            <Anchor component="span" size="sm">
              {t("sweep.trialsOf")}
            </Anchor>
          </Link>
        }
      >
        <TrialTable id={id} sweep={sweep} />
      </Section>
    </Page>
  );
}

function Facts({ sweep }: { sweep: SweepDetail }) {
  const { t } = useTranslation("runs");
  return (
    <Group gap="sm" style={{ rowGap: 2 }}>
      <RunState state={sweep.state} />
      <CountBar counts={sweep.counts} planned={sweep.planned} />
      <MethodLink method={sweep.method} />
      <span>
        <span className="sf-mono">{sweep.metric}</span>, {t(`sweep.goal.${sweep.goal}`)}
      </span>
      <span>{t("sweep.parallel", { count: sweep.jobs })}</span>
      {sweep.early_stop && (
        <Tooltip label={t("sweep.earlyHint")} multiline w={300}>
          <span>{earlyText(sweep.early_stop, t)}</span>
        </Tooltip>
      )}
      <Group gap="sm" wrap="nowrap" component="span">
        <TimeAgo at={sweep.created_at} />
        <Elapsed from={sweep.created_at} to={sweep.ended_at} />
      </Group>
    </Group>
  );
}

/** `one of 3 goes on, from step 9 on`. */
function earlyText({ factor, first }: Schemas["EarlyStop"], t: TFunction<"runs">): string {
  return first ? t("sweep.early", { factor, step: first }) : t("sweep.earlyLater", { factor });
}

function commands({ id, state }: SweepDetail): string {
  const lines = [commandOf("sweep", "show", id), commandOf("sweep", "best", id)];
  const verb = verbOf("sweep", state);
  if (verb) lines.push(commandOf("sweep", verb, id));
  return lines.join("\n");
}

function Best({ sweep }: { sweep: SweepDetail }) {
  const { t } = useTranslation("runs");
  const best = (sweep.trials ?? []).find((one) => one.number === sweep.best);
  if (!best) {
    return (
      <Section title={t("sweep.best")}>
        <Text size="sm" c="dimmed">
          {t("sweep.noBest", { metric: sweep.metric })}
        </Text>
      </Section>
    );
  }
  return (
    <Section title={t("sweep.best")} count={t("sweep.bestOf", { number: best.number })}>
      <Text size="xs" c="dimmed" className="sf-mono">
        {sweep.metric}
      </Text>
      <Text fz={18} fw={600}>
        {formatNumber(best.value)}
      </Text>
      <Stack gap={2} my={6}>
        {Object.entries(best.parameters).map(([name, value]) => (
          <Group key={name} gap="xs" justify="space-between" wrap="nowrap">
            <Text span size="sm" c="dimmed" className="sf-mono">
              {name}
            </Text>
            <Text span size="sm" className="sf-mono">
              {value}
            </Text>
          </Group>
        ))}
      </Stack>
      {best.job_id && (
        <Link to="/jobs/$job" params={{ job: best.job_id }} search={{}}>
          <Anchor component="span" size="sm">
            {t("sweep.job")} <span className="sf-mono">{best.job_id}</span>
          </Anchor>
        </Link>
      )}
    </Section>
  );
}
