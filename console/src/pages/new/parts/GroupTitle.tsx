import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface GroupTitleProps {
  label: string;
  members: number;
  changed: number;
  wrong: boolean;
}

/** The line that opens a group of fields: how many there are, are set, and whether one is wrong. */
export function GroupTitle({ label, members, changed, wrong }: GroupTitleProps) {
  const { t } = useTranslation("newJob");
  return (
    <Group gap={8}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Text size="xs" c="dimmed">
        {members}
        {changed > 0 ? ` · ${t("params.set", { count: changed })}` : ""}
      </Text>
      {wrong && (
        <Text size="xs" c="var(--sf-failed)">
          {t("findings.error")}
        </Text>
      )}
    </Group>
  );
}
