import "./logs.css";
import { Alert, Group, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { isLive } from "@/ui/StateBadge";
import { LogLines, type Row } from "./LogLines";
import { LogsToolbar } from "./LogsToolbar";
import { compile, type Level } from "./logModel";
import { useLog, type Which } from "./useLog";
import { findFirstError, logUrl, useScan } from "./useScan";

interface Search {
  which: Which;
  filter: string;
  level: Level | null;
  /** Counted from 0, as the API counts. */
  line: number | null;
}

/** What the address says: which log, which lines of it, which line is meant. */
export function parseLogSearch(search: Record<string, string | undefined>): Search {
  const whole = (text: string | undefined): number | undefined =>
    text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  const which: Which = {};
  const [attempt, rank] = [whole(search.attempt), whole(search.rank)];
  if (attempt !== undefined) which.attempt = attempt;
  if (search.role) which.role = search.role;
  if (rank !== undefined) which.rank = rank;
  const level = search.level === "error" || search.level === "warning" ? search.level : null;
  return { which, filter: search.filter ?? "", level, line: whole(search.line) ?? null };
}

/** A job's logs: followed while it runs, filtered, linked to by line, there after its end. */
export function LogsTab({ job }: { job: JobDetail }) {
  const { t } = useTranslation("logs");
  const live = isLive(job.state);
  const navigate = useNavigate();
  const { which, filter, level, line } = parseLogSearch(
    useSearch({ strict: false }) as Record<string, string | undefined>,
  );
  const [follow, setFollow] = useState(live && line === null);
  const [range, setRange] = useState<[number, number]>([0, 100]);
  const [noError, setNoError] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const log = useLog(job.id, which, live, ...range);
  const { problem } = compile(filter);
  const filtering = (filter !== "" || level !== null) && problem === null;
  const url = logUrl(job.id, which);
  const scan = useScan(url, filtering ? filter : "", filtering ? level : null, log.total);

  const change = useCallback(
    (next: Record<string, string | undefined>) =>
      void navigate({
        to: ".",
        search: ((old: Record<string, string>) => ({ ...old, ...next })) as never,
        replace: true,
      }),
    [navigate],
  );
  const mark = useCallback((at: number) => change({ line: String(at) }), [change]);
  const toRange = useCallback((first: number, last: number) => setRange([first, last]), []);
  const away = useCallback(() => setFollow(false), []);

  async function jumpToError() {
    const found = await findFirstError(url);
    setNoError(found === null);
    if (found === null) return;
    setFollow(false);
    change({ line: String(found), filter: undefined, level: undefined });
  }

  if (log.error) return <Problem error={log.error} onRetry={log.retry} />;
  if (log.pending) return <Loading />;
  if (log.stream === null) {
    return <Empty title={t("empty")} text={live ? t("emptyLive") : t("emptyEnded")} />;
  }
  const row = (index: number): Row => {
    if (filtering) {
      const one = scan.found[index];
      return { line: one?.line ?? index, text: one?.text ?? null, cut: 0 };
    }
    const one = log.lines.get(index);
    return { line: index, text: one?.text ?? null, cut: one?.cut ?? 0 };
  };
  return (
    <Stack gap="sm">
      <LogsToolbar
        job={job.id}
        streams={log.streams}
        stream={log.stream}
        filter={filter}
        level={level}
        problem={problem}
        follow={follow}
        live={live}
        onFollow={setFollow}
        onChange={change}
        onFirstError={() => void jumpToError()}
      />
      {noError && (
        <Alert
          color="gray"
          py={6}
          withCloseButton
          onClose={() => setNoError(false)}
          closeButtonLabel={t("close")}
        >
          {t("noError")}
        </Alert>
      )}
      {scan.failed && <Problem error={new Error(scan.failed)} />}
      <LogLines
        key={`${log.stream.path} ${log.stream.attempt} ${filtering}`}
        count={filtering ? scan.found.length : log.total}
        row={row}
        marked={line}
        follow={follow && !filtering}
        goTo={filtering ? null : line}
        onRange={toRange}
        onScrolledAway={away}
        onMark={mark}
        box={box}
      />
      <Group justify="space-between">
        <Text size="xs" c="dimmed" role="status">
          {filtering
            ? t(scan.done ? "matches" : "matching", {
                count: scan.found.length,
                scanned: scan.scanned.toLocaleString(),
              })
            : t("total", { total: log.total.toLocaleString() })}
        </Text>
      </Group>
    </Stack>
  );
}
