import { Badge, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { CodeText } from "@/ui/CodeText";
import { KeyText } from "@/ui/KeyText";
import { Section } from "@/ui/Section";
import { valueText } from "./parameters";
import { Row } from "./Row";
import type { Recipe } from "./recipe";

const FEW = 6; // rows of a list that is looked up rather than read

/** Curves to look at: ours and upstream's names, which way is good, what they say. */
export function Metrics({ metrics }: { metrics: Recipe["metrics"] }) {
  const { t } = useTranslation("methods");
  const sorted = [...metrics].sort((a, b) => Number(b.primary) - Number(a.primary));
  return (
    <Section id="metrics" title={t("metrics")} count={metrics.length} bare>
      <div className="sf-panel">
        {sorted.map((one) => (
          <Row
            key={one.name}
            name={
              <Group gap={6}>
                <span className="sf-mono" style={{ fontWeight: 600 }}>
                  <KeyText>{one.name}</KeyText>
                </span>
                {one.primary && (
                  <Badge variant="default" size="xs">
                    {t("primary")}
                  </Badge>
                )}
              </Group>
            }
            native={one.native.filter((name) => name !== one.name).join(", ")}
          >
            <Text size="xs" c="dimmed">
              {[one.title && both(one.title), t(`goal.${one.goal}`), unitOf(one.unit)]
                .filter(Boolean)
                .join(" · ")}
            </Text>
            <Text size="sm">
              <CodeText>{both(one.description)}</CodeText>
            </Text>
          </Row>
        ))}
      </div>
    </Section>
  );
  function unitOf(unit: string | null): string {
    return unit ? t(`unit.${unit}`, { defaultValue: unit }) : "";
  }
}

/** Keys that the method sets itself, and why. */
export function Pins({ pins }: { pins: Recipe["pins"] }) {
  const { t } = useTranslation("methods");
  return (
    <Looked id="pins" title={t("pins")} text={t("pinsText")} count={pins.length}>
      {(shown) =>
        pins.slice(0, shown).map((one) => (
          <Row
            key={one.path}
            name={<Key path={one.path} />}
            native={one.keep ? t("kept", { value: valueText(one.value) }) : valueText(one.value)}
          >
            <Text size="sm">
              <CodeText>{both(one.reason)}</CodeText>
            </Text>
          </Row>
        ))
      }
    </Looked>
  );
}

/** Keys that upstream takes and never reads. */
export function Ignored({ ignored }: { ignored: Recipe["ignored"] }) {
  const { t } = useTranslation("methods");
  return (
    <Looked id="ignored" title={t("ignored")} text={t("ignoredText")} count={ignored.length}>
      {(shown) =>
        ignored.slice(0, shown).map((one) => (
          <Row
            key={one.path}
            name={<Key path={one.path} />}
            native={one.new && t("instead", { name: one.new })}
          >
            <Text size="sm">
              <CodeText>{both(one.note)}</CodeText>
            </Text>
          </Row>
        ))
      }
    </Looked>
  );
}

function Key({ path }: { path: string }) {
  return (
    <span className="sf-mono" style={{ fontWeight: 600 }}>
      <KeyText>{path}</KeyText>
    </span>
  );
}

interface LookedProps {
  id: string;
  title: string;
  text: string;
  count: number;
  children: (shown: number) => React.ReactNode;
}

/** A list to look something up in: the first rows, and all of them when asked for. */
function Looked({ id, title, text, count, children }: LookedProps) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  if (count === 0) return null;
  return (
    <Section id={id} title={title} count={count} bare>
      <Text size="sm" c="dimmed" mb={6}>
        {text}
      </Text>
      <div className="sf-panel">{children(all ? count : FEW)}</div>
      {count > FEW && (
        <Button variant="subtle" mt={4} onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? t("actions.showLess") : `${t("actions.showAll")} (${count})`}
        </Button>
      )}
    </Section>
  );
}
