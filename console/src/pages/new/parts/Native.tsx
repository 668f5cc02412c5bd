import { Autocomplete, Box, Group, Stack, Text, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { Section } from "@/ui/Section";
import { valueText } from "../../method/parameters";
import { keysQuery } from "../form/calls";
import { fieldId } from "../form/fields";
import { withKey } from "../form/native";
import { useForm } from "../form/useForm";
import { FieldFindings, useInvalid } from "./Findings";
import classes from "./setting.module.css";

/** config.yaml: the framework's own keys, found by typing a part of their name. */
export function Native() {
  const { t } = useTranslation("newJob");
  const { draft, set, recipe } = useForm();
  const all = useQuery(keysQuery(draft.method, "")).data;
  const custom = all?.open === true;
  return (
    <Section
      title={custom ? t("native.own") : t("native.title", { framework: recipe.framework })}
      actions={!custom && <KeyPicker />}
    >
      <Text size="xs" c="dimmed" mb={6}>
        {custom ? t("native.ownText") : t("native.text")}
      </Text>
      <Box id={fieldId("config")}>
        <Textarea
          aria-label="config.yaml"
          classNames={{ input: `sf-mono ${classes.code}` }}
          autosize
          minRows={3}
          maxRows={18}
          size="xs"
          spellCheck={false}
          value={draft.config}
          error={useInvalid("config")}
          onChange={(event) => set({ config: event.currentTarget.value })}
        />
        <FieldFindings field="config" />
      </Box>
    </Section>
  );
}

/**
 * Looks for a key. The one that is chosen is written into the file with its default; one that
 * has a parameter leads there.
 */
function KeyPicker() {
  const { t } = useTranslation("newJob");
  const { draft, set, goTo } = useForm();
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text.trim(), 200);
  const found = useQuery({ ...keysQuery(draft.method, search), placeholderData: keepPreviousData });
  const keys = new Map((found.data?.keys ?? []).map((key) => [key.path, key]));
  function add(path: string) {
    const key = keys.get(path);
    if (key?.parameter) goTo(`params.${key.parameter}`);
    else if (key && !key.pinned) set({ config: withKey(draft.config, path, key.default) });
    setText("");
  }
  return (
    <Autocomplete
      size="xs"
      w={300}
      data-testid="native-key"
      aria-label={t("native.add")}
      placeholder={t("native.add")}
      value={text}
      onChange={setText}
      onOptionSubmit={(path) => {
        add(path);
        // The chosen path itself must not stay in the field.
        setTimeout(() => setText(""));
      }}
      filter={({ options }) => options}
      limit={30}
      maxDropdownHeight={320}
      comboboxProps={{
        width: "min(460px, 92vw)",
        position: "bottom-end",
        shadow: "md",
        // The form grows above it while it is open; the list must not go with the scrolling.
        hideDetached: false,
      }}
      data={[...keys.keys()]}
      renderOption={({ option }) => <KeyOption one={keys.get(option.value)} />}
    />
  );
}

function KeyOption({ one }: { one: Schemas["NativeKey"] | undefined }) {
  const { t } = useTranslation("newJob");
  if (!one) return null;
  const why = one.pinned
    ? t("native.pinned", { why: one.pinned })
    : one.parameter
      ? t("native.parameter", { name: one.parameter })
      : "";
  return (
    <Stack gap={0} miw={0} w="100%">
      <Group justify="space-between" gap={8} wrap="nowrap">
        <Text size="xs" className="sf-mono" lineClamp={2} {...(one.pinned ? { c: "dimmed" } : {})}>
          {one.path}
        </Text>
        <Text size="xs" c="dimmed" className="sf-mono" lineClamp={1} maw={160}>
          {valueText(one.default)}
        </Text>
      </Group>
      <Text size="xs" c="dimmed" lineClamp={2}>
        {why || one.type}
      </Text>
    </Stack>
  );
}
