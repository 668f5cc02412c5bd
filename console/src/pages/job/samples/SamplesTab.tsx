import { Button, Group, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, ask, type JobDetail } from "@/api/client";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { SearchBox } from "@/ui/SearchBox";
import { isLive } from "@/ui/StateBadge";
import { GroupsView } from "./GroupsView";
import { PairsView } from "./PairsView";
import { SampleCard } from "./SampleCard";

type Sort = "step" | "-step" | "reward" | "-reward";
type View = "list" | "groups" | "pairs";
const SORTS: Sort[] = ["-step", "step", "-reward", "reward"];
const VIEWS: View[] = ["list", "groups", "pairs"];

export interface SampleSearch {
  step?: number;
  against?: number;
  search: string;
  sort: Sort;
  view: View;
  page: number;
}

export function parseSampleSearch(search: Record<string, string | undefined>): SampleSearch {
  const whole = (text: string | undefined): number | undefined =>
    text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  const [step, against] = [whole(search.step), whole(search.against)];
  return {
    ...(step === undefined ? {} : { step }),
    ...(against === undefined ? {} : { against }),
    search: search.q ?? "",
    sort: SORTS.find((one) => one === search.sort) ?? "-step",
    view: VIEWS.find((one) => one === search.view) ?? "list",
    page: Math.max(1, whole(search.page) ?? 1),
  };
}

const SIZE = 50;

export const samplesQuery = (job: string, wanted: SampleSearch, live: boolean, limit = SIZE) => {
  const query = {
    ...(wanted.step === undefined ? {} : { step: wanted.step }),
    ...(wanted.search ? { search: wanted.search } : {}),
    sort: wanted.sort,
    limit,
    offset: (wanted.page - 1) * limit,
  };
  return queryOptions({
    queryKey: ["job", job, "samples", query],
    queryFn: () => ask(api.GET("/api/v1/jobs/{job}/samples", { params: { path: { job }, query } })),
    placeholderData: keepPreviousData,
    refetchInterval: live ? 5000 : false,
  });
};

/** Prompts and completions: by step, by reward, in groups, two steps side by side. */
export function SamplesTab({ job }: { job: JobDetail }) {
  const { t } = useTranslation("samples");
  const live = isLive(job.state);
  const navigate = useNavigate();
  const wanted = parseSampleSearch(
    useSearch({ strict: false }) as Record<string, string | undefined>,
  );
  const many = wanted.view === "list" ? SIZE : 500;
  const answer = useQuery(samplesQuery(job.id, wanted, live, many));

  function change(next: Record<string, string | undefined>) {
    void navigate({
      to: ".",
      search: ((old: Record<string, string>) => ({ ...old, page: undefined, ...next })) as never,
      replace: true,
    });
  }

  if (answer.error) return <Problem error={answer.error} onRetry={() => void answer.refetch()} />;
  if (answer.isPending) return <Loading />;
  const { samples, total } = answer.data;
  const steps = answer.data.steps ?? [];
  if (steps.length === 0 && total === 0 && wanted.search === "") {
    return <Empty title={t("empty")} text={t(live ? "emptyLive" : "emptyEnded")} />;
  }
  return (
    <Stack gap="sm">
      <Toolbar wanted={wanted} steps={steps} onChange={change} />
      {wanted.view !== "pairs" && samples.length === 0 && (
        <Text c="dimmed" size="sm">
          {t("noMatch")}
        </Text>
      )}
      {wanted.view === "list" && (
        <>
          <Stack gap="sm" style={{ opacity: answer.isPlaceholderData ? 0.6 : 1 }}>
            {samples.map((sample, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: samples have no name; a page never reorders
              <SampleCard key={at} sample={sample} />
            ))}
          </Stack>
          <Pager
            total={total}
            page={wanted.page}
            size={SIZE}
            onPage={(page) => change({ page: String(page) })}
          />
        </>
      )}
      {wanted.view === "groups" && <GroupsView samples={samples} total={total} />}
      {wanted.view === "pairs" && (
        <PairsView job={job.id} wanted={wanted} steps={steps} live={live} />
      )}
    </Stack>
  );
}

interface ToolbarProps {
  wanted: SampleSearch;
  steps: number[];
  onChange: (next: Record<string, string | undefined>) => void;
}

function Toolbar({ wanted, steps, onChange }: ToolbarProps) {
  const { t } = useTranslation("samples");
  const options = steps.map((step) => ({ value: String(step), label: t("step", { step }) }));
  return (
    <Group gap="sm" className="sf-fields">
      <SegmentedControl
        size="xs"
        aria-label={t("view")}
        value={wanted.view}
        data={VIEWS.map((value) => ({ value, label: t(`views.${value}`) }))}
        onChange={(view) => onChange({ view: view === "list" ? undefined : view })}
      />
      <SearchBox
        value={wanted.search}
        onChange={(q) => onChange({ q: q || undefined })}
        label={t("search")}
      />
      <Select
        w={150}
        aria-label={t(wanted.view === "pairs" ? "leftStep" : "whichStep")}
        placeholder={t(wanted.view === "pairs" ? "firstStep" : "allSteps")}
        clearable={wanted.view !== "pairs"}
        searchable
        value={wanted.step === undefined ? null : String(wanted.step)}
        data={options}
        onChange={(step) => onChange({ step: step ?? undefined })}
      />
      {wanted.view === "pairs" ? (
        <Select
          w={150}
          aria-label={t("rightStep")}
          searchable
          value={wanted.against === undefined ? null : String(wanted.against)}
          placeholder={t("lastStep")}
          data={options}
          onChange={(against) => onChange({ against: against ?? undefined })}
        />
      ) : (
        <Select
          w={170}
          aria-label={t("sort")}
          allowDeselect={false}
          value={wanted.sort}
          data={SORTS.map((value) => ({ value, label: t(`sorts.${value}`) }))}
          onChange={(sort) => onChange({ sort: sort ?? undefined })}
        />
      )}
    </Group>
  );
}

interface PagerProps {
  total: number;
  page: number;
  size: number;
  onPage: (page: number) => void;
}

function Pager({ total, page, size, onPage }: PagerProps) {
  const { t } = useTranslation("samples");
  const pages = Math.max(1, Math.ceil(total / size));
  return (
    <Group justify="space-between">
      <Text size="xs" c="dimmed" role="status">
        {t("total", { count: total, shown: total.toLocaleString() })}
      </Text>
      {pages > 1 && (
        <Group gap="xs">
          <Button variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            {t("previous")}
          </Button>
          <Text size="xs">
            {page} / {pages}
          </Text>
          <Button variant="default" disabled={page >= pages} onClick={() => onPage(page + 1)}>
            {t("next")}
          </Button>
        </Group>
      )}
    </Group>
  );
}
