import { Checkbox, Group, Stack, Text, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "@/ui/Empty";
import { SearchBox } from "@/ui/SearchBox";
import { Section } from "@/ui/Section";
import { ParameterRow } from "./ParameterRow";
import { PresetRow } from "./PresetRow";
import { byGroup, type Entry, entriesOf, shownEntries } from "./parameters";
import type { Recipe } from "./recipe";

/** Every setting of a method in groups: searched and linked to through the address. */
export function Parameters({ recipe }: { recipe: Recipe }) {
  const { t } = useTranslation("methods");
  const search: Record<string, string> = useSearch({ strict: false });
  const set = useSet(search);
  const onSearch = useCallback((value: string) => set({ search: value }), [set]);
  const all = entriesOf(recipe.parameters, recipe.presets);
  const linked = search.param;
  const shown = shownEntries(all, {
    search: search.search ?? "",
    advanced: search.advanced === "1",
    linked,
  });
  useScrollTo(
    linked ? `param-${linked}` : window.location.hash.slice(1) || (search.search && "parameters"),
  );
  return (
    <Section
      id="parameters"
      title={t("parameters")}
      count={t("shown", { shown: shown.length, all: all.length })}
      bare
      actions={
        <Group gap="md">
          {recipe.parameters.some((one) => one.advanced) && (
            <Checkbox
              size="xs"
              label={t("advanced")}
              checked={search.advanced === "1"}
              onChange={(event) => set({ advanced: event.currentTarget.checked ? "1" : "" })}
            />
          )}
          <SearchBox
            value={search.search ?? ""}
            onChange={onSearch}
            label={t("searchParameters")}
            width={220}
          />
        </Group>
      }
    >
      {shown.length === 0 && <Empty title={t("noParameters")} text={t("noParametersText")} />}
      <Stack gap="md">
        {byGroup(shown).map(({ group, entries }) => (
          <div key={group}>
            <Title order={3} size="sm" mb={4}>
              {t(`group.${group}`, { defaultValue: group })}
            </Title>
            <div className="sf-panel">
              {entries.map((entry) => (
                <OneRow key={entry.name} entry={entry} marked={entry.name === linked} />
              ))}
            </div>
          </div>
        ))}
      </Stack>
      {shown.length > 0 && shown.length < all.length && !search.search && (
        <Text size="xs" c="dimmed" mt={8}>
          {t("hidden", { count: all.length - shown.length })}
        </Text>
      )}
    </Section>
  );
}

function OneRow({ entry, marked }: { entry: Entry; marked: boolean }) {
  return entry.kind === "parameter" ? (
    <ParameterRow one={entry.one} marked={marked} />
  ) : (
    <PresetRow one={entry.one} marked={marked} />
  );
}

/** Change the address's query where it stands. */
function useSet(search: Record<string, string>) {
  const navigate = useNavigate();
  return useCallback(
    (changes: Record<string, string>) =>
      void navigate({
        to: ".",
        search: { ...search, ...changes },
        replace: true,
        resetScroll: false,
      }),
    [navigate, search],
  );
}

/** Bring what the address names into view when the page opens. */
function useScrollTo(id: string | undefined) {
  const first = useRef(id);
  useEffect(() => {
    const row = first.current?.startsWith("param-");
    const place = first.current && document.getElementById(first.current);
    if (place) place.scrollIntoView({ block: row ? "center" : "start" });
  }, []);
}
