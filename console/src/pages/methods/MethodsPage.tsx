import { Anchor, Button, Group, Select, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { methodsQuery } from "@/api/queries";
import { useKeys } from "@/app/keys";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { SearchBox } from "@/ui/SearchBox";
import { byData, choices, FILTERS, type Filters, filtered, type Method } from "./filter";
import { MethodRow } from "./MethodRow";

/** The catalog of the connected server, by the data one has. */
export function MethodsPage() {
  const { t } = useTranslation("methods");
  const search: Record<string, string> = useSearch({ strict: false });
  const navigate = useNavigate();
  const words = search.search ?? "";
  const all = useQuery(methodsQuery());
  const found = useQuery({ ...methodsQuery({ search: words }), enabled: words !== "" });
  const list = words ? found : all;
  const set = useCallback(
    (name: string, value: string) =>
      void navigate({
        to: "/methods",
        search: { ...search, [name]: value },
        replace: true,
      }),
    [navigate, search],
  );
  const onSearch = useCallback((value: string) => set("search", value), [set]);
  const groups = byData(filtered(list.data ?? [], search as Filters));
  const rows = groups.flatMap((group) => group.methods);
  const marked = useMarkedRow(rows);
  return (
    <Page
      title={t("title")}
      subtitle={list.data && t("count", { count: rows.length })}
      actions={
        <Link to="/choose" search={{}}>
          <Button component="span" variant="default">
            {t("choose")}
          </Button>
        </Link>
      }
    >
      <Group gap="xs" className="sf-fields">
        <SearchBox value={words} onChange={onSearch} label={t("search")} />
        {FILTERS.map((name) => (
          <Select
            key={name}
            w={170}
            clearable
            aria-label={t(`filter.${name}`)}
            placeholder={t(`filter.${name}`)}
            value={search[name] ?? null}
            onChange={(value) => set(name, value ?? "")}
            data={choices(all.data ?? [], name).map((value) => ({
              value,
              label: name === "data" ? t(`data.${value}`, { defaultValue: value }) : value,
            }))}
          />
        ))}
      </Group>
      {list.error && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && !list.error && <Loading lines={12} />}
      {list.data && rows.length === 0 && (
        <Empty title={t("nothing")} text={t("nothingText")}>
          <Link to="/methods" search={{}}>
            <Anchor component="span">{t("clear")}</Anchor>
          </Link>
        </Empty>
      )}
      {groups.map((group) => (
        <Stack key={group.kind} gap={6} component="section">
          <Group gap={8} align="baseline">
            <Title order={2}>{t(`data.${group.kind}`, { defaultValue: group.kind })}</Title>
            <Text size="xs" c="dimmed">
              {group.methods.length}
            </Text>
          </Group>
          <div className="sf-panel">
            {group.methods.map((one, index) => (
              <MethodRow
                key={one.name}
                method={one}
                first={index === 0}
                marked={one.name === marked}
              />
            ))}
          </div>
        </Stack>
      ))}
    </Page>
  );
}

/** j and k move through the rows, Enter opens the marked one. */
function useMarkedRow(rows: readonly Method[]): string | undefined {
  const navigate = useNavigate();
  const [marked, setMarked] = useState<string>();
  const place = rows.findIndex((one) => one.name === marked);
  const move = (by: number) => {
    const next = rows[Math.min(Math.max(place + by, 0), rows.length - 1)];
    if (next) {
      setMarked(next.name);
      document.getElementById(`method-${next.name}`)?.scrollIntoView({ block: "nearest" });
    }
  };
  const open = (event: KeyboardEvent) => {
    const focused = event.target instanceof HTMLElement && event.target.closest("a,button");
    const row = rows[place];
    if (focused instanceof HTMLElement) focused.click();
    else if (row) {
      const [framework = "", name = ""] = row.name.split("/");
      void navigate({ to: "/methods/$framework/$name", params: { framework, name } });
    }
  };
  useKeys({ j: () => move(1), k: () => move(-1), Enter: open });
  return marked;
}
