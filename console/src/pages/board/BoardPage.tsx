import { Anchor, Box, Button, Group, MultiSelect, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { CommandBlock } from "@/ui/CommandBlock";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { SearchBox } from "@/ui/SearchBox";
import { commandLine } from "../new/form/plan";
import { BoardTable } from "./BoardTable";
import {
  choose,
  comparisonSearch,
  type ExternalScore,
  externalOf,
  isFiltered,
  KINDS,
  labelsOf,
  parseView,
  tableOf,
  type View,
  viewSearch,
} from "./board";
import { ChosenBar } from "./ChosenBar";
import type { Score } from "./columns";
import { ExternalTable } from "./ExternalTable";
import { boardQuery, externalQuery } from "./queries";

/** Scores of models on benchmarks: what may be compared stands in one column. */
export function BoardPage() {
  const { t } = useTranslation("board");
  const search: Record<string, string> = useSearch({ strict: false });
  const view = useMemo(() => parseView(search), [search]);
  const navigate = useNavigate();
  const change = useCallback(
    (next: View) => void navigate({ to: "/board", search: viewSearch(next), replace: true }),
    [navigate],
  );
  const own = useQuery(boardQuery);
  const others = useQuery(externalQuery);
  const table = useMemo(() => tableOf(own.data ?? [], view), [own.data, view]);
  const external = useMemo(() => externalOf(others.data ?? [], view), [others.data, view]);
  const error = own.error ?? others.error;
  const loaded = own.data !== undefined && others.data !== undefined;
  const nothing = own.data?.length === 0 && others.data?.length === 0;
  const none = table.models.length === 0 && external.length === 0;
  return (
    <Page
      title={t("title")}
      subtitle={loaded && !nothing ? t("count", { count: table.models.length }) : undefined}
    >
      {error && <Problem error={error} onRetry={() => void own.refetch()} />}
      {!loaded && !error && <Loading lines={8} />}
      {nothing && <Nothing />}
      {loaded && !nothing && (
        <>
          <Toolbar view={view} onChange={change} scores={own.data} external={others.data} />
          {none && (
            <Empty title={t("empty.none")} text={t("empty.noneText")}>
              <Link to="/board" search={{}}>
                <Anchor component="span" size="sm">
                  {t("filter.clear")}
                </Anchor>
              </Link>
            </Empty>
          )}
          {table.models.length > 0 && (
            <BoardTable
              table={table}
              view={view}
              onSort={(sort) => change({ ...view, sort })}
              onChoose={(model) => change({ ...view, chosen: choose(view.chosen, model) })}
            />
          )}
          {external.length > 0 && <ExternalTable scores={external} />}
          <Commands view={view} />
          {view.chosen.length > 0 && (
            <ChosenBar
              chosen={view.chosen}
              labels={labelsOf(view.chosen, own.data)}
              search={comparisonSearch(table.columns, view)}
              onChange={(chosen) => change({ ...view, chosen })}
            />
          )}
        </>
      )}
    </Page>
  );
}

interface ToolbarProps {
  view: View;
  onChange: (view: View) => void;
  scores: readonly Score[];
  external: readonly ExternalScore[];
}

function Toolbar({ view, onChange, scores, external }: ToolbarProps) {
  const { t } = useTranslation("board");
  const packs = [...new Set([...scores, ...external].map((one) => one.benchmark))].sort();
  const onSearch = useCallback((search: string) => onChange({ ...view, search }), [onChange, view]);
  return (
    <Group gap="xs" className="sf-fields">
      <SearchBox value={view.search} onChange={onSearch} label={t("search")} width={210} />
      <MultiSelect
        size="xs"
        w={220}
        clearable
        searchable
        aria-label={t("filter.pack")}
        placeholder={view.packs.length ? "" : t("filter.pack")}
        value={view.packs}
        data={[...new Set([...packs, ...view.packs])]}
        onChange={(chosen) => onChange({ ...view, packs: chosen })}
      />
      <Select
        w={160}
        clearable
        aria-label={t("filter.kind")}
        placeholder={t("filter.kind")}
        value={view.kind}
        data={[...KINDS, "external" as const].map((value) => ({
          value,
          label: t(`kinds.${value}`),
        }))}
        onChange={(kind) => onChange({ ...view, kind: kind as View["kind"] })}
      />
      {isFiltered(view) && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() => onChange({ ...view, search: "", packs: [], kind: null })}
        >
          {t("filter.clear")}
        </Button>
      )}
    </Group>
  );
}

/** The commands that print what the page shows. */
function Commands({ view }: { view: View }) {
  const { t } = useTranslation("board");
  const [pack] = view.packs;
  const only = view.packs.length === 1 && pack !== undefined ? ["--benchmark", pack] : [];
  const lines = [["sf", "bench", "board", ...only]];
  if (view.chosen.length === 2) {
    const pair = only.length ? ["--pack", ...only.slice(1)] : [];
    lines.push(["sf", "bench", "compare", ...view.chosen, ...pair]);
  }
  return (
    <Box component="section" aria-label={t("command")} maw={640} pb={view.chosen.length ? 56 : 0}>
      <Text size="xs" c="dimmed" mb={4}>
        {t("legend")}
      </Text>
      <CommandBlock text={lines.map(commandLine).join("\n")} />
    </Box>
  );
}

function Nothing() {
  const { t } = useTranslation("board");
  return (
    <Empty
      title={t("empty.title")}
      text={t("empty.text")}
      command={"sf bench ls\nsf bench run job:my-sft --benchmark gsm8k --watch"}
    />
  );
}
