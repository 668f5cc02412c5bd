import { Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { serverQuery } from "@/api/queries";
import { formatBytes } from "@/format/number";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { Section } from "@/ui/Section";
import { TimeAgo } from "@/ui/TimeAgo";

/** Who answers, where it keeps its state, and what its machine has. */
export function ServerFacts() {
  const { t } = useTranslation("settings");
  const server = useQuery(serverQuery);
  const { data } = server;
  return (
    <Section id="server" title={t("server")}>
      {server.error && <Problem error={server.error} onRetry={() => void server.refetch()} />}
      {server.isPending && <Loading />}
      {data && (
        <Table fz="sm" withRowBorders={false} verticalSpacing={3} horizontalSpacing={0}>
          <Table.Tbody>
            <Fact label={t("version")}>StarForge {data.version}</Fact>
            <Fact label={t("address")} mono>
              {data.url}
            </Fact>
            <Fact label={t("home")} mono>
              {data.home}
            </Fact>
            <Fact label={t("started")}>
              <TimeAgo at={data.started_at} /> · {t("process", { pid: data.pid })}
            </Fact>
            <Fact label={t("engine")}>
              {t(`engines.${data.engine}`, { defaultValue: data.engine })}
            </Fact>
            <Fact label={t("cpus")}>
              {t("ofFree", { all: data.machine.cpus, free: data.machine.cpus_free })}
            </Fact>
            <Fact label={t("gpus")}>
              <Gpus machine={data.machine} />
            </Fact>
            <Fact label={t("memory")}>{formatBytes(data.machine.memory_bytes)}</Fact>
            <Fact label={t("disk")}>{formatBytes(data.machine.disk_free_bytes)}</Fact>
            <Fact label={t("jobs")}>
              <Jobs counts={data.jobs ?? {}} />
            </Fact>
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

function Gpus({ machine }: { machine: Schemas["Machine"] }) {
  const { t } = useTranslation("settings");
  const gpus = machine.gpus ?? [];
  if (gpus.length === 0) return t("none");
  return gpus.map((gpu) => (
    <div key={gpu.index}>
      {gpu.index}: {gpu.name}
      {gpu.memory_bytes ? `, ${formatBytes(gpu.memory_bytes)}` : ""}{" "}
      {gpu.job ? (
        <Link to="/jobs/$job" params={{ job: gpu.job }}>
          {t("inUse")}
        </Link>
      ) : (
        <Text span size="xs" c="dimmed">
          {t("free")}
        </Text>
      )}
    </div>
  ));
}

/** How many jobs there are in each state, each the way to their list. */
function Jobs({ counts }: { counts: Record<string, number> }) {
  const { t } = useTranslation("settings");
  const states = Object.entries(counts).filter(([, count]) => count > 0);
  if (states.length === 0) return t("noJobs");
  return states.map(([state, count], index) => (
    <span key={state}>
      {index > 0 && " · "}
      <Link to="/jobs" search={{ state }} style={{ whiteSpace: "nowrap" }}>
        {t("counted", { count, state: t(`common:states.${state}`, { defaultValue: state }) })}
      </Link>
    </span>
  ));
}

interface FactProps {
  label: string;
  mono?: boolean;
  children: ReactNode;
}

function Fact({ label, mono = false, children }: FactProps) {
  return (
    <Table.Tr style={{ verticalAlign: "top" }}>
      <Table.Th scope="row" fw={400} c="dimmed" w={110}>
        {label}
      </Table.Th>
      <Table.Td className={mono ? "sf-mono" : undefined}>{children}</Table.Td>
    </Table.Tr>
  );
}
