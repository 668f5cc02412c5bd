import { ActionIcon, Autocomplete, Button, Group, Stack, Text } from "@mantine/core";
import { IconArrowRight, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { mapText } from "../new/form/asked";
import { useAsked } from "./useAsked";

/** What methods read, as the data formats page names it. */
const PARTS = [
  "prompt", "completion", "messages", "chosen", "rejected", "label", "answer", "solution", "text",
]; // biome-ignore format: a list of words

interface Props {
  /** How the columns are read now, the server's own guesses included. */
  map: Record<string, string>;
  columns: string[];
}

/** Which column is read as what: what the server found, and a row to say it oneself. */
export function MapEditor({ map, columns }: Props) {
  const { t } = useTranslation("choose");
  const { asked, set } = useAsked();
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const pairs = Object.entries(map);
  const put = (changed: Record<string, string>) => set({ map: mapText(changed) });
  function add() {
    if (!from.trim() || !to.trim()) return;
    const rest = Object.entries(asked.map).filter(([, name]) => name !== to.trim());
    put({ ...Object.fromEntries(rest), [from.trim()]: to.trim() });
    setFrom("");
    setTo("");
  }
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        {t("mappingText")}
      </Text>
      {pairs.map(([old, name]) => (
        <Group key={old} gap={8}>
          <span className="sf-mono">{old}</span>
          <IconArrowRight size={13} aria-label={t("readAs")} />
          <span className="sf-mono">{name}</span>
          {old in asked.map ? (
            <ActionIcon
              size="sm"
              aria-label={t("forget", { name: old })}
              onClick={() => put(without(asked.map, old))}
            >
              <IconX size={13} />
            </ActionIcon>
          ) : (
            <Text size="xs" c="dimmed">
              {t("guessed")}
            </Text>
          )}
        </Group>
      ))}
      <Group gap={8} align="flex-end">
        <Autocomplete
          size="xs"
          w={150}
          label={t("column")}
          data={columns}
          value={from}
          onChange={setFrom}
        />
        <Autocomplete
          size="xs"
          w={150}
          label={t("readAs")}
          data={PARTS}
          value={to}
          onChange={setTo}
        />
        <Button variant="default" size="xs" disabled={!from.trim() || !to.trim()} onClick={add}>
          {t("rename")}
        </Button>
      </Group>
    </Stack>
  );
}

function without(map: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([old]) => old !== name));
}
