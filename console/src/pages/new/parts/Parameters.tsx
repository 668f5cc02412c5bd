import { Accordion, Box, Button, Group, Switch, Text } from "@mantine/core";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { SearchBox } from "@/ui/SearchBox";
import { Section } from "@/ui/Section";
import { byGroup, type Entry, shownEntries } from "../../method/parameters";
import { fieldId } from "../form/fields";
import { isChanged, scaffoldOf, usual } from "../form/parameters";
import { useForm } from "../form/useForm";
import { FieldFindings } from "./Findings";
import { GroupTitle } from "./GroupTitle";
import { Setting } from "./Setting";
import classes from "./setting.module.css";

/** The published parameters: what one usually sets at hand, all others by group or search. */
export function Parameters() {
  const { t } = useTranslation("newJob");
  const { entries, recipe, first, draft, wanted } = useForm();
  const [search, setSearch] = useState("");
  const [advanced, setAdvanced] = useState(false);
  const [open, setOpen] = useState<string[]>([]);
  const near = useMemo(
    () => usual(entries, scaffoldOf(recipe), Object.keys(first.params)),
    [entries, recipe, first],
  );
  const changed = entries.filter((entry) => isChanged(entry, draft.params[entry.name]));
  const unknown = Object.keys(draft.params).filter(
    (name) => !entries.some((entry) => entry.name === name),
  );
  const groups = useMemo(() => {
    const shown = shownEntries(entries, { search: "", advanced, linked: undefined });
    const set = new Set(changed.map((entry) => entry.name));
    const kept = entries.filter((entry) => shown.includes(entry) || set.has(entry.name));
    return byGroup(kept.filter((entry) => !near.includes(entry)));
  }, [entries, advanced, near, changed]);

  // A finding leads to a parameter that may be out of sight.
  useEffect(() => {
    const name = wanted?.startsWith("params.") ? wanted.slice("params.".length) : null;
    const entry = entries.find((one) => one.name === name);
    if (!entry) return;
    setSearch("");
    setOpen((old) => [...new Set([...old, entry.group])]);
    if (entry.kind === "parameter" && entry.one.advanced) setAdvanced(true);
  }, [wanted, entries]);

  if (entries.length === 0) return null;
  const found = shownEntries(entries, { search, advanced: true, linked: undefined });
  return (
    <Section
      title={t("params.title")}
      count={t("params.changed", { count: changed.length, all: entries.length })}
      actions={
        <Group gap="sm">
          <Switch
            size="xs"
            label={t("params.advanced")}
            checked={advanced}
            onChange={(event) => setAdvanced(event.currentTarget.checked)}
          />
          <SearchBox value={search} onChange={setSearch} label={t("params.search")} width={190} />
        </Group>
      }
    >
      <Box id={fieldId("params")}>
        <FieldFindings field="params" />
      </Box>
      {search ? (
        <>
          <Settings entries={found} />
          {found.length === 0 && (
            <Text size="sm" c="dimmed" p="sm">
              {t("params.nothing")}
            </Text>
          )}
        </>
      ) : (
        <>
          <Settings entries={near} />
          {unknown.map((name) => (
            <Unknown key={name} name={name} />
          ))}
          <Accordion
            multiple
            value={open}
            onChange={setOpen}
            mt="xs"
            chevronPosition="left"
            chevronSize={14}
            classNames={{ label: classes.label, content: classes.content }}
          >
            {groups.map(({ group, entries: members }) => (
              <Accordion.Item key={group} value={group}>
                <Accordion.Control px={4}>
                  <EntryGroupTitle group={group} members={members} />
                </Accordion.Control>
                <Accordion.Panel>
                  {open.includes(group) && <Settings entries={members} />}
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        </>
      )}
    </Section>
  );
}

function EntryGroupTitle({ group, members }: { group: string; members: Entry[] }) {
  const { t } = useTranslation("newJob");
  const { draft, found } = useForm();
  const wrong = members.some((one) =>
    found.get(`params.${one.name}`)?.some((finding) => finding.severity === "error"),
  );
  return (
    <GroupTitle
      label={t(`methods:group.${group}`, { defaultValue: group })}
      members={members.length}
      changed={members.filter((one) => isChanged(one, draft.params[one.name])).length}
      wrong={wrong}
    />
  );
}

function Settings({ entries }: { entries: readonly Entry[] }) {
  const { draft, setParameter, found } = useForm();
  return (
    <div>
      {entries.map((entry) => (
        <Setting
          key={entry.name}
          entry={entry}
          text={draft.params[entry.name]}
          invalid={
            found.get(`params.${entry.name}`)?.some((one) => one.severity === "error") ?? false
          }
          onChange={setParameter}
        />
      ))}
    </div>
  );
}

/** A parameter that the method does not have (any more): to see, and to take away. */
function Unknown({ name }: { name: string }) {
  const { t } = useTranslation("newJob");
  const { setParameter } = useForm();
  return (
    <Box id={fieldId(`params.${name}`)} px={10} py={6}>
      <Group gap="sm">
        <Text size="xs" fw={600} className="sf-mono">
          {name}
        </Text>
        <Button variant="default" size="compact-xs" onClick={() => setParameter(name, "")}>
          {t("params.remove")}
        </Button>
      </Group>
      <FieldFindings field={`params.${name}`} />
    </Box>
  );
}
