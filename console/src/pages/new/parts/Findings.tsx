import { Anchor, Box, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleX, IconInfoCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Finding } from "@/api/client";
import { CodeText } from "@/ui/CodeText";
import { useForm } from "../form/useForm";
import { Explain } from "./Explain";
import classes from "./setting.module.css";

const LOOK = {
  error: { icon: IconCircleX, color: "var(--sf-failed)" },
  warning: { icon: IconAlertTriangle, color: "var(--sf-warning)" },
  info: { icon: IconInfoCircle, color: "var(--sf-waiting)" },
} as const;

const SHOWN = 4; // findings of one field; data often have the same one on every row

/** Whether a field has an error: for the look and `aria-invalid` of its control. */
export function useInvalid(field: string): boolean {
  return (
    useForm()
      .found.get(field)
      ?.some((one) => one.severity === "error") ?? false
  );
}

/** What the checks say of one field, under it. */
export function FieldFindings({ field }: { field: string }) {
  const { t } = useTranslation("newJob");
  const found = useForm().found.get(field) ?? [];
  if (found.length === 0) return null;
  return (
    <Stack gap={4} mt={4} role="status">
      {found.slice(0, SHOWN).map((one) => (
        <FindingLine key={keyOf(one)} finding={one} />
      ))}
      {found.length > SHOWN && (
        <Text size="xs" c="dimmed">
          {t("findings.more", { count: found.length - SHOWN })}
        </Text>
      )}
    </Stack>
  );
}

export function keyOf(one: Finding): string {
  return [one.code, one.file, one.line, one.key, one.message].join(" ");
}

/** One finding: what is wrong, what to do, and its code with the way to an explanation. */
export function FindingLine({ finding }: { finding: Finding }) {
  const { t } = useTranslation("newJob");
  const { icon: Icon, color } = LOOK[finding.severity];
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <Icon
        size={14}
        style={{ color, flex: "none", marginTop: 2 }}
        role="img"
        aria-label={t(`findings.${finding.severity}`)}
      />
      <Box miw={0} className={classes.finding}>
        <Text size="xs" component="span" style={{ whiteSpace: "pre-wrap" }}>
          <CodeText>{finding.message}</CodeText>
        </Text>
        {finding.hint && (
          <Text size="xs" c="dimmed" component="span">
            <br />
            <CodeText>{finding.hint}</CodeText>
          </Text>
        )}{" "}
        <Explain code={finding.code} />
      </Box>
    </Group>
  );
}

/** All findings in short, each the way to its field. */
export function AllFindings() {
  const { t } = useTranslation("newJob");
  const { found, goTo } = useForm();
  const general = found.get("") ?? [];
  const others = [...found].filter(([field]) => field !== "");
  if (found.size === 0) return null;
  return (
    <Stack gap={8}>
      {general.map((one) => (
        <FindingLine key={keyOf(one)} finding={one} />
      ))}
      {others.map(([field, list]) => {
        const first = list[0];
        if (!first) return null;
        const { icon: Icon, color } = LOOK[first.severity];
        return (
          <Group key={field} gap={6} wrap="nowrap" align="flex-start">
            <Icon
              size={14}
              style={{ color, flex: "none", marginTop: 2 }}
              role="img"
              aria-label={t(`findings.${first.severity}`)}
            />
            <Anchor
              component="button"
              type="button"
              size="xs"
              ta="left"
              lineClamp={3}
              onClick={() => goTo(field)}
            >
              {first.message.replaceAll("`", "")}
              {list.length > 1 ? ` (+${list.length - 1})` : ""}
            </Anchor>
          </Group>
        );
      })}
    </Stack>
  );
}
