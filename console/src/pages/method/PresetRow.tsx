import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { CodeText } from "@/ui/CodeText";
import { EntryName } from "./ParameterRow";
import { valueText } from "./parameters";
import { Row } from "./Row";
import type { Preset } from "./recipe";

interface Props {
  one: Preset;
  marked: boolean;
}

/** A name that sets several of upstream's keys at once, and what each choice sets. */
export function PresetRow({ one, marked }: Props) {
  const { t } = useTranslation("methods");
  return (
    <Row
      id={`param-${one.name}`}
      marked={marked}
      name={<EntryName name={one.name} />}
      native={t("preset")}
    >
      <Text size="sm">
        <CodeText>{both(one.description)}</CodeText>
      </Text>
      {one.advice && (
        <Text size="sm" c="dimmed" mt={2}>
          <CodeText>{both(one.advice)}</CodeText>
        </Text>
      )}
      {Object.entries(one.options).map(([word, option]) => (
        <div key={word}>
          <Text size="sm" mt={6}>
            <Text span inherit fw={600} className="sf-mono">
              {word}
            </Text>{" "}
            <CodeText>{both(option.description)}</CodeText>
          </Text>
          <Text size="xs" c="dimmed" className="sf-mono">
            {Object.entries(option.values)
              .map(([path, value]) => `${path}: ${valueText(value)}`)
              .join(", ")}
          </Text>
        </div>
      ))}
    </Row>
  );
}
