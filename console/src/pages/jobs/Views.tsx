import { Button, CloseButton, Group, Popover, TextInput } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconBookmark } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sessionQuery } from "@/api/session";
import { type Column, parseView, type SavedView, someColumns, type View, viewSearch } from "./view";

interface Props {
  view: View;
  onChange: (view: View) => void;
  columns: Column[];
  onColumns: (columns: Column[]) => void;
}

const same = (a: Record<string, string>, b: Record<string, string>) =>
  new URLSearchParams(a).toString() === new URLSearchParams(b).toString();

/** Views by name: four that are always there, and those kept in this browser. */
export function Views({ view, onChange, columns, onColumns }: Props) {
  const { t } = useTranslation("jobs");
  const user = useQuery(sessionQuery).data?.user;
  const [saved, setSaved] = useLocalStorage<SavedView[]>({
    key: "starforge.jobs.views",
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const now = viewSearch(view);
  const builtIn: [string, Record<string, string>][] = [
    [t("views.all"), {}],
    [t("views.live"), { state: "queued,starting,running,stopping,unreachable" }],
    [t("views.failed"), { state: "failed" }],
  ];
  if (user) builtIn.push([t("views.mine"), { owner: user }]);
  return (
    <Group gap={4} role="group" aria-label={t("views.label")}>
      {builtIn.map(([name, search]) => (
        <ViewButton
          key={name}
          name={name}
          active={same(now, search)}
          onClick={() => onChange(parseView(search))}
        />
      ))}
      {saved.map((one) => (
        <Group key={one.name} gap={0} wrap="nowrap">
          <ViewButton
            name={one.name}
            active={same(now, one.search)}
            onClick={() => {
              onColumns(someColumns(one.columns));
              onChange(parseView(one.search));
            }}
          />
          <CloseButton
            size="xs"
            aria-label={t("views.remove", { name: one.name })}
            onClick={() => setSaved(saved.filter((other) => other.name !== one.name))}
          />
        </Group>
      ))}
      <SaveView
        onSave={(name) =>
          setSaved([...saved.filter((one) => one.name !== name), { name, search: now, columns }])
        }
      />
    </Group>
  );
}

interface ViewButtonProps {
  name: string;
  active: boolean;
  onClick: () => void;
}

function ViewButton({ name, active, onClick }: ViewButtonProps) {
  return (
    <Button
      size="compact-xs"
      variant={active ? "light" : "subtle"}
      color={active ? undefined : "gray"}
      aria-pressed={active}
      onClick={onClick}
    >
      {name}
    </Button>
  );
}

function SaveView({ onSave }: { onSave: (name: string) => void }) {
  const { t } = useTranslation("jobs");
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState("");
  function save() {
    if (!name.trim()) return;
    onSave(name.trim());
    setName("");
    setOpened(false);
  }
  return (
    <Popover opened={opened} onChange={setOpened} shadow="md" trapFocus>
      <Popover.Target>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={<IconBookmark size={13} />}
          onClick={() => setOpened(!opened)}
        >
          {t("views.save")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Group gap="xs" align="flex-end">
          <TextInput
            label={t("views.name")}
            maxLength={40}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && save()}
          />
          <Button onClick={save}>{t("common:actions.save")}</Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
