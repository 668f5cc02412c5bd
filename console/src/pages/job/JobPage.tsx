import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { jobQuery } from "@/api/queries";
import { NotFoundPage } from "@/app/ErrorPages";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { isLive } from "@/ui/StateBadge";
import { Actions } from "./header/Actions";
import { Heading } from "./header/Heading";
import { OverviewTab } from "./overview/OverviewTab";
import { panels } from "./preload";
import { TABS, type TabName, tabOf } from "./tabs";

const PANELS: Record<TabName, React.ComponentType<{ job: JobDetail }>> = {
  overview: OverviewTab,
  ...panels,
};

/** One job: who and how it is, and a tab for each kind of thing it left. */
export function JobPage() {
  const { job: id = "", tab: named } = useParams({ strict: false });
  const tab = tabOf(named);
  const found = useQuery({
    ...jobQuery(id),
    refetchInterval: (query) => (query.state.data && isLive(query.state.data.state) ? 5000 : false),
  });
  if (tab === null) return <NotFoundPage />;
  const job = found.data;
  if (job === undefined) {
    return (
      <Page title={id}>
        {found.error ? (
          <Problem error={found.error} onRetry={() => void found.refetch()} />
        ) : (
          <Loading lines={10} />
        )}
      </Page>
    );
  }
  return (
    <Page title={job.name} top={<Heading key={job.id} job={job} />} actions={<Actions job={job} />}>
      <TabBar id={id} tab={tab} job={job} />
    </Page>
  );
}

function TabBar({ id, tab, job }: { id: string; tab: TabName; job: JobDetail }) {
  const { t } = useTranslation("job");
  const navigate = useNavigate();
  const bar = useRef<HTMLDivElement>(null);
  // Where not all tabs fit, the one in use is among those that are seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is another place
  useEffect(() => {
    const active = bar.current?.querySelector('[aria-selected="true"]');
    if (bar.current && active instanceof HTMLElement)
      bar.current.scrollLeft =
        active.offsetLeft - (bar.current.clientWidth - active.offsetWidth) / 2;
  }, [tab]);
  const Panel = PANELS[tab];
  function open(next: string | null) {
    if (next === "overview") void navigate({ to: "/jobs/$job", params: { job: id }, search: {} });
    else if (next)
      void navigate({ to: "/jobs/$job/$tab", params: { job: id, tab: next }, search: {} });
  }
  return (
    <Tabs value={tab} onChange={open} keepMounted={false}>
      <Tabs.List mb="md" ref={bar} aria-label={t("tabsLabel")} className="sf-tabs">
        {TABS.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t(`tabs.${name}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {TABS.map((name) => (
        <Tabs.Panel key={name} value={name}>
          {name === tab && (
            <Suspense fallback={<Loading />}>
              <Panel job={job} />
            </Suspense>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
