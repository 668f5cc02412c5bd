import { Anchor, Box, Group } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, ask, type JobDetail } from "@/api/client";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { firstError, withoutAnsi } from "./errors";
import { Message } from "./Message";
import { Section } from "./Section";

const LINES = 400; // looked through for the error
const SHOWN = 15;

const tailQuery = (job: string, attempt: number) =>
  queryOptions({
    queryKey: ["job", job, "tail", attempt],
    queryFn: () =>
      ask(
        api.GET("/api/v1/jobs/{job}/logs", {
          params: { path: { job }, query: { tail: LINES } },
        }),
      ),
  });

/** Of a failed job: the end of its log, and where the first error in it is. */
export function LastLines({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const found = useQuery(tailQuery(job.id, job.attempt ?? 0));
  if (found.error) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <Loading lines={3} />;
  const lines = found.data.lines ?? [];
  if (lines.length === 0) return (job.message ?? "").includes("\n") ? <Message job={job} /> : null;
  const error = firstError(lines);
  const logs = { to: "/jobs/$job/$tab", params: { job: job.id, tab: "logs" } } as const;
  return (
    <Section title={t("overview.lastLines")}>
      <Box
        component="pre"
        className="sf-mono"
        m={0}
        p="xs"
        tabIndex={0}
        aria-label={t("overview.lastLines")}
        bg="var(--sf-panel)"
        style={{ overflow: "auto", maxHeight: 320, borderRadius: 6, whiteSpace: "pre-wrap" }}
      >
        {lines
          .slice(-SHOWN)
          .map((one) => withoutAnsi(one.text))
          .join("\n")}
      </Box>
      <Group gap="md" mt={8} fz="sm">
        {error && (
          <Link {...logs} search={{ line: String(error.line) }}>
            <Anchor component="span" size="sm">
              {t("overview.firstError", { line: error.line + 1 })}
            </Anchor>
          </Link>
        )}
        <Link {...logs} search={{}}>
          <Anchor component="span" size="sm">
            {t("overview.allLogs")}
          </Anchor>
        </Link>
      </Group>
    </Section>
  );
}
