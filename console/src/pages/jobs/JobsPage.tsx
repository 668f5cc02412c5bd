import { Anchor, Box, Button, Text } from "@mantine/core";
import { useLocalStorage, useMediaQuery } from "@mantine/hooks";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { BulkBar } from "./BulkBar";
import { JobsTable } from "./JobsTable";
import { JobsToolbar } from "./JobsToolbar";
import { useJobPages } from "./useJobPages";
import {
  type Column,
  isFiltered,
  metricNames,
  parseView,
  someColumns,
  usualColumns,
  type View,
  viewSearch,
} from "./view";

/** All jobs of the server: filtered, sorted and searched as the address says. */
export function JobsPage() {
  const { t } = useTranslation("jobs");
  const search: Record<string, string> = useSearch({ strict: false });
  const navigate = useNavigate();
  const view = useMemo(() => parseView(search), [search]);
  const [kept, keepColumns] = useLocalStorage<Column[]>({
    key: "starforge.jobs.columns",
    defaultValue: usualColumns(window.innerWidth),
    getInitialValueInEffect: false,
  });
  const columns = useMemo(() => someColumns(kept), [kept]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [range, setRange] = useState({ first: 0, last: 0 });
  const pages = useJobPages(view, range.first, range.last);
  const compact = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const change = useCallback(
    (next: View) => void navigate({ to: "/jobs", search: viewSearch(next), replace: true }),
    [navigate],
  );
  const onRange = useCallback((first: number, last: number) => {
    setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
  }, []);
  const metrics = metricNames(pages.loaded.values(), view.sort);
  const nothing = pages.total === 0 && !pages.pending && !pages.error;
  return (
    <Page
      title={t("title")}
      subtitle={pages.pending ? undefined : t("count", { count: pages.total })}
      full
      actions={
        <Box hiddenFrom="sm">
          <Link to="/new" search={{}} style={{ textDecoration: "none" }}>
            <Button component="span">{t("common:nav.newJob")}</Button>
          </Link>
        </Box>
      }
    >
      <JobsToolbar
        view={view}
        onChange={change}
        columns={columns}
        onColumns={keepColumns}
        metrics={metrics}
      />
      {pages.error !== null && <Problem error={pages.error} onRetry={pages.retry} />}
      {pages.pending && !pages.error && <Loading lines={10} />}
      {nothing && (isFiltered(view) ? <NoMatch /> : <NoJobs />)}
      {pages.total > 0 && (
        <JobsTable
          pages={pages}
          view={view}
          onView={change}
          metrics={metrics}
          columns={columns}
          compact={compact ?? false}
          selected={selected}
          onSelect={setSelected}
          onRange={onRange}
        />
      )}
      {selected.size > 0 && (
        <BulkBar
          ids={[...selected]}
          loaded={pages.loaded}
          view={view}
          total={pages.total}
          onSelect={(ids) => setSelected(new Set(ids))}
        />
      )}
    </Page>
  );
}

function NoMatch() {
  const { t } = useTranslation("jobs");
  return <Empty title={t("empty.none")} text={t("empty.noneText")} />;
}

function NoJobs() {
  const { t } = useTranslation("jobs");
  return (
    <Empty
      title={t("empty.title")}
      text={t("empty.text")}
      command={"sf new my-sft --method trl/sft\nsf submit my-sft --watch"}
    >
      <Text size="sm">
        <Link to="/choose" search={{}}>
          <Anchor component="span">{t("empty.choose")}</Anchor>
        </Link>
      </Text>
    </Empty>
  );
}
