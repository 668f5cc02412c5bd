import { Anchor, Group, Stack } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, ask, type Job, type JobDetail } from "@/api/client";
import { jobQuery } from "@/api/queries";
import { StateBadge } from "@/ui/StateBadge";
import { MethodLink } from "../MethodLink";
import { jobOf } from "./lineage";
import { MadeFor } from "./MadeFor";
import { Row } from "./Row";

/** What the job was made of, what it follows, and what was made of it. */
export function Lineage({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const others = (job.inputs ?? []).filter(
    (one) => !["model", "data.train"].includes(String(one.name)),
  );
  const waiting =
    (job.then ?? []).length > (job.children ?? []).length && job.follow_ups !== "made";
  return (
    <Stack gap={6} fz="sm">
      <Row label={t("overview.method")}>
        <MethodLink method={job.method} />
      </Row>
      {job.model && (
        <Row label={t("overview.model")}>
          <Reference text={job.model} />
        </Row>
      )}
      {job.data && (
        <Row label={t("overview.data")}>
          <Reference text={job.data} />
        </Row>
      )}
      {others.map((one) => (
        <Row key={String(one.name)} label={t("overview.input", { name: one.name })}>
          <Reference text={inputText(one)} />
        </Row>
      ))}
      {job.profile && <Row label={t("overview.profile")}>{job.profile}</Row>}
      <Row label={t("overview.machine")}>
        {[
          t("overview.cpus", { count: job.cpus }),
          job.gpus ? t("overview.gpus", { count: job.gpus }) : "",
        ]
          .filter(Boolean)
          .join(", ")}
      </Row>
      {job.parent && (
        <Row label={t("overview.parent")}>
          <JobLink id={job.parent} />
        </Row>
      )}
      <MadeFor job={job} />
      {(job.children ?? []).length > 0 && (
        <Row label={t("overview.children")}>
          <JobList jobs={job.children ?? []} />
        </Row>
      )}
      {waiting && (
        <Row label={t("overview.dueSteps")}>
          {(job.then ?? []).map((step) => String(step.method)).join(", ")}
        </Row>
      )}
      <UsedBy job={job} />
    </Stack>
  );
}

function inputText(input: Record<string, unknown>): string {
  const place = String(input.location ?? "");
  if (input.kind === "job") return place.startsWith("job:") ? place : `job:${place}`;
  return typeof input.file === "string" ? input.file : place;
}

function Reference({ text }: { text: string }) {
  const id = jobOf(text);
  return id ? <JobLink id={id} /> : <span className="sf-mono">{text}</span>;
}

function JobLink({ id }: { id: string }) {
  const found = useQuery({ ...jobQuery(id), retry: false }).data;
  return (
    <Group gap={8} style={{ rowGap: 0 }}>
      <Link to="/jobs/$job" params={{ job: id }} search={{}}>
        <Anchor component="span">{found?.name ?? id}</Anchor>
      </Link>
      {found && <StateBadge state={found.state} />}
    </Group>
  );
}

function JobList({ jobs }: { jobs: Job[] }) {
  return (
    <Stack gap={2}>
      {jobs.map((one) => (
        <Group key={one.id} gap={8} style={{ rowGap: 0 }}>
          <Link to="/jobs/$job" params={{ job: one.id }} search={{}}>
            <Anchor component="span">{one.name}</Anchor>
          </Link>
          <StateBadge state={one.state} />
        </Group>
      ))}
    </Stack>
  );
}

function UsedBy({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const model = `job:${job.id}`;
  const hasModel = (job.outputs ?? []).some((one) => one.kind === "model");
  const found = useQuery({
    queryKey: ["jobs", "using", job.id],
    queryFn: () => ask(api.GET("/api/v1/jobs", { params: { query: { model, size: 20 } } })),
    enabled: hasModel,
    placeholderData: keepPreviousData,
  }).data;
  if (!found?.jobs.length) return null;
  return (
    <Row label={t("overview.usedBy")}>
      <JobList jobs={found.jobs} />
    </Row>
  );
}
