import { Button, Checkbox, Group, MultiSelect, Popover, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import { useTranslation } from "react-i18next";
import { methodsQuery } from "@/api/queries";
import { SearchBox } from "@/ui/SearchBox";
import { SortMenu } from "./SortMenu";
import { Views } from "./Views";
import { COLUMNS, type Column, FIXED, isFiltered, STATES, type View } from "./view";

interface Props {
  view: View;
  onChange: (view: View) => void;
  columns: Column[];
  onColumns: (columns: Column[]) => void;
  /** Headline metrics that can be sorted by. */
  metrics: string[];
}

/** However many are chosen, the bar keeps its height; the rest is seen in the list. */
const ONE_LINE = {
  pillsList: { flexWrap: "nowrap", overflow: "hidden" },
  inputField: { minWidth: 0, width: 24, flex: "1 1 24px" },
} as const;

/** Views, search, filters and the picker of columns. */
export function JobsToolbar({ view, onChange, columns, onColumns, metrics }: Props) {
  const { t } = useTranslation("jobs");
  const methods = useQuery(methodsQuery()).data;
  const names = (methods ?? []).map((one) => one.name);
  const latest = useRef({ view, onChange });
  latest.current = { view, onChange };
  const search = useCallback((text: string) => {
    const { search: _, ...rest } = latest.current.view;
    latest.current.onChange(text ? { ...rest, search: text } : rest);
  }, []);
  return (
    <Stack gap="xs">
      <Views view={view} onChange={onChange} columns={columns} onColumns={onColumns} />
      <Group gap="xs" className="sf-fields">
        <SearchBox value={view.search ?? ""} onChange={search} label={t("search")} width={210} />
        <MultiSelect
          size="xs"
          w={210}
          clearable
          styles={ONE_LINE}
          aria-label={t("filters.state")}
          placeholder={view.state.length ? "" : t("filters.state")}
          value={view.state}
          onChange={(state) => onChange({ ...view, state })}
          data={STATES.map((value) => ({ value, label: t(`common:states.${value}`) }))}
        />
        <MultiSelect
          size="xs"
          w={210}
          clearable
          styles={ONE_LINE}
          searchable
          limit={60}
          aria-label={t("filters.method")}
          placeholder={view.method.length ? "" : t("filters.method")}
          value={view.method}
          onChange={(method) => onChange({ ...view, method })}
          data={[...new Set([...names, ...view.method])]}
        />
        <SortMenu view={view} onView={onChange} metrics={metrics} />
        <MoreFilters view={view} onChange={onChange} />
        {isFiltered(view) && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => onChange({ state: [], method: [], sort: view.sort })}
          >
            {t("filters.clear")}
          </Button>
        )}
        <ColumnPicker columns={columns} onColumns={onColumns} />
      </Group>
    </Stack>
  );
}

function MoreFilters({ view, onChange }: Pick<Props, "view" | "onChange">) {
  const { t } = useTranslation("jobs");
  const fields = ["tag", "model", "owner"] as const;
  const used = fields.filter((name) => view[name]).length;
  function set(name: (typeof fields)[number], text: string) {
    const { [name]: _, ...rest } = view;
    onChange(text.trim() ? { ...rest, [name]: text.trim() } : rest);
  }
  return (
    <Popover position="bottom-start" shadow="md" trapFocus>
      <Popover.Target>
        <Button variant="default">
          {t("filters.more")}
          {used > 0 ? ` (${used})` : ""}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {fields.map((name) => (
            <TextInput
              key={`${name} ${view[name] ?? ""}`}
              label={t(`filters.${name}`)}
              defaultValue={view[name] ?? ""}
              onBlur={(event) => set(name, event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter") set(name, event.currentTarget.value);
              }}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function ColumnPicker({ columns, onColumns }: Pick<Props, "columns" | "onColumns">) {
  const { t } = useTranslation("jobs");
  return (
    <Popover position="bottom-end" shadow="md" trapFocus>
      <Popover.Target>
        <Button variant="default" ml={{ sm: "auto" }} visibleFrom="sm">
          {t("common:table.columns")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group
          aria-label={t("common:table.columns")}
          value={columns}
          onChange={(next) => onColumns(next as Column[])}
        >
          <Stack gap={8}>
            {COLUMNS.map((column) => (
              <Checkbox
                key={column}
                size="xs"
                value={column}
                disabled={FIXED.includes(column)}
                label={t(`columns.${column}`)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
