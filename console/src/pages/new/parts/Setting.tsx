import {
  ActionIcon,
  Box,
  Group,
  Popover,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { IconArrowBackUp, IconInfoCircle } from "@tabler/icons-react";
import { memo, useState } from "react";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { CodeText } from "@/ui/CodeText";
import { differs, type Entry, rangeText, valueText } from "../../method/parameters";
import { fieldId } from "../form/fields";
import { isChanged, optionsOf, typeText } from "../form/parameters";
import { FieldFindings } from "./Findings";
import classes from "./setting.module.css";

interface Props {
  entry: Entry;
  text: string | undefined;
  invalid: boolean;
  onChange: (name: string, text: string) => void;
}

/** One setting: its name, its field with the default and range in place, what it means. */
export const Setting = memo(function Setting({ entry, text, invalid, onChange }: Props) {
  const { t } = useTranslation("newJob");
  const changed = isChanged(entry, text);
  const field = `params.${entry.name}`;
  return (
    <Box id={fieldId(field)} className={classes.row} data-changed={changed}>
      <Box miw={0}>
        <Group gap={4} wrap="nowrap">
          <Text size="xs" fw={600} className="sf-mono" component="label" htmlFor={`${field}-input`}>
            {entry.name}
          </Text>
          <About entry={entry} />
        </Group>
        <Text size="xs" c="dimmed" lineClamp={2}>
          <CodeText>{both(entry.one.description)}</CodeText>
        </Text>
      </Box>
      <Box miw={0}>
        <Group gap={4} wrap="nowrap" align="flex-start">
          <Control {...{ entry, text, invalid, onChange }} id={`${field}-input`} />
          <Tooltip label={t("params.reset", { value: defaultText(entry) })}>
            <ActionIcon
              size={30}
              aria-label={t("params.resetOne", { name: entry.name })}
              style={{ visibility: text === undefined ? "hidden" : "visible" }}
              onClick={() => onChange(entry.name, "")}
            >
              <IconArrowBackUp size={14} />
            </ActionIcon>
          </Tooltip>
        </Group>
        <Facts entry={entry} changed={changed} />
        <FieldFindings field={field} />
      </Box>
    </Box>
  );
});

function defaultText(entry: Entry): string {
  return entry.kind === "preset" ? "–" : valueText(entry.one.default);
}

const isLong = (text: string | undefined) => (text ?? "").length > 40;

function Control({ entry, text, invalid, onChange, id }: Props & { id: string }) {
  const options = optionsOf(entry);
  // Another field takes its place only once nobody types: it would take the cursor away.
  const [lines, setLines] = useState(isLong(text));
  const common = { id, error: invalid, style: { flex: 1, minWidth: 0 } };
  const placeholder = defaultText(entry);
  if (options.length > 0) {
    const value = text?.trim() ?? null;
    // What is no choice stays visible, so that it can be seen and mended.
    const data = value !== null && !options.includes(value) ? [value, ...options] : options;
    return (
      <Select
        {...common}
        searchable={options.length > 6}
        allowDeselect
        placeholder={placeholder}
        value={value}
        data={data}
        onChange={(next) => onChange(entry.name, next ?? "")}
      />
    );
  }
  const Input = lines ? Textarea : TextInput;
  return (
    <Input
      {...common}
      {...(lines ? { autosize: true, maxRows: 6 } : {})}
      size="xs"
      spellCheck={false}
      placeholder={placeholder}
      value={text ?? ""}
      onBlur={() => setLines(isLong(text))}
      onChange={(event: { currentTarget: { value: string } }) =>
        onChange(entry.name, event.currentTarget.value)
      }
    />
  );
}

/** Default, range and unit under the field. */
function Facts({ entry, changed }: { entry: Entry; changed: boolean }) {
  const { t } = useTranslation("newJob");
  if (entry.kind === "preset") return null;
  const { one } = entry;
  const unit = one.unit ? t(`methods:unit.${one.unit}`, { defaultValue: one.unit }) : "";
  const facts = [
    changed && t("params.default", { value: valueText(one.default) }),
    differs(one) && t("params.upstream", { value: valueText(one.upstream_default) }),
    optionsOf(entry).length === 0 && typeText(one),
    rangeText(one),
    unit,
  ].filter(Boolean);
  return (
    <Text size="xs" c="dimmed" mt={1}>
      {facts.join(" · ")}
    </Text>
  );
}

function About({ entry }: { entry: Entry }) {
  const { t } = useTranslation("newJob");
  const { one } = entry;
  return (
    <Popover width={380} position="bottom-start" shadow="md" withArrow>
      <Popover.Target>
        <ActionIcon size="xs" aria-label={t("params.about", { name: entry.name })}>
          <IconInfoCircle size={13} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={6}>
          <Text size="xs">
            <CodeText>{both(one.description)}</CodeText>
          </Text>
          {one.advice && (
            <Text size="xs" c="dimmed">
              <CodeText>{both(one.advice)}</CodeText>
            </Text>
          )}
          {entry.kind === "parameter" ? (
            <Text size="xs" c="dimmed" className="sf-mono">
              {entry.one.path}: {entry.one.type}
            </Text>
          ) : (
            Object.entries(entry.one.options).map(([name, option]) => (
              <Text key={name} size="xs" c="dimmed">
                <span className="sf-mono">{name}</span>{" "}
                <CodeText>{both(option.description)}</CodeText>
              </Text>
            ))
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
