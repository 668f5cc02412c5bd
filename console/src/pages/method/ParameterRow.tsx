import { Badge, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { CodeText } from "@/ui/CodeText";
import { KeyText } from "@/ui/KeyText";
import classes from "./method.module.css";
import { differs, rangeText, valueText } from "./parameters";
import { Row } from "./Row";
import type { Parameter } from "./recipe";

interface Props {
  one: Parameter;
  marked: boolean;
}

/** A published parameter: what it is, what it may be, and how to choose it. */
export function ParameterRow({ one, marked }: Props) {
  const { t } = useTranslation("methods");
  return (
    <Row
      id={`param-${one.name}`}
      marked={marked}
      name={<EntryName name={one.name} advanced={one.advanced} />}
      native={one.path !== one.name && one.path}
    >
      <Facts one={one} />
      <Text size="sm">
        <CodeText>{both(one.description)}</CodeText>
      </Text>
      {one.advice && (
        <Text size="sm" c="dimmed" mt={2}>
          <CodeText>{both(one.advice)}</CodeText>
        </Text>
      )}
      {one.why_default && (
        <Text size="sm" c="dimmed" mt={2}>
          <Text span size="sm" fw={500}>
            {t("whyDefault")}
          </Text>{" "}
          <CodeText>{both(one.why_default)}</CodeText>
        </Text>
      )}
    </Row>
  );
}

/** The name, which is also the address of its row. */
export function EntryName({ name, advanced = false }: { name: string; advanced?: boolean }) {
  const { t } = useTranslation("methods");
  return (
    <Group gap={6}>
      <Link
        to="."
        search={(old) => ({ ...old, param: name })}
        replace
        resetScroll={false}
        className="sf-link sf-mono"
        style={{ fontWeight: 600 }}
        title={t("linkTo", { name })}
      >
        <KeyText>{name}</KeyText>
      </Link>
      {advanced && (
        <Badge variant="default" size="xs">
          {t("param.advanced")}
        </Badge>
      )}
    </Group>
  );
}

function Facts({ one }: { one: Parameter }) {
  const { t } = useTranslation("methods");
  const range = rangeText(one);
  const aliases = Object.entries(one.aliases ?? {});
  return (
    <div className={classes.facts}>
      <Fact label={t("param.type")}>{one.type}</Fact>
      <Fact label={t("param.default")}>{valueText(one.default)}</Fact>
      {differs(one) && <Fact label={t("param.upstream")}>{valueText(one.upstream_default)}</Fact>}
      {one.choices && (
        <Fact label={t("param.choices")}>{one.choices.map(valueText).join(", ")}</Fact>
      )}
      {range && !one.choices && <Fact label={t("param.range")}>{range}</Fact>}
      {one.unit && (
        <Fact label={t("param.unit")} plain>
          {t(`unit.${one.unit}`, { defaultValue: one.unit })}
        </Fact>
      )}
      {aliases.length > 0 && (
        <Fact label={t("param.also")}>
          {aliases.map(([word, meant]) => `${word} → ${valueText(meant)}`).join(", ")}
        </Fact>
      )}
    </div>
  );
}

function Fact({
  label,
  plain = false,
  children,
}: {
  label: string;
  plain?: boolean;
  children: ReactNode;
}) {
  return (
    <Text component="span" size="xs" c="dimmed">
      {label}{" "}
      <Text span inherit c="var(--mantine-color-text)" className={plain ? undefined : "sf-mono"}>
        {children}
      </Text>
    </Text>
  );
}
