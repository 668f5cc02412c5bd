import { Group, SegmentedControl, Stack, Text, useMantineColorScheme } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSwitchLanguage } from "@/app/Shell";
import { currentLanguage, LANGUAGES } from "@/i18n";
import { Section } from "@/ui/Section";

/** Language and theme, kept in this browser. */
export function Appearance() {
  const { t } = useTranslation();
  const switchLanguage = useSwitchLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title={t("settings:appearance")}>
      <Stack gap="sm">
        <Labelled label={t("language")}>
          <SegmentedControl
            size="xs"
            aria-label={t("language")}
            value={currentLanguage()}
            data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
            onChange={(value) => switchLanguage(value === "zh" ? "zh" : "en")}
          />
        </Labelled>
        <Labelled label={t("theme.label")}>
          <SegmentedControl
            size="xs"
            aria-label={t("theme.label")}
            value={colorScheme}
            data={(["light", "dark", "auto"] as const).map((value) => ({
              value,
              label: t(`theme.${value}`),
            }))}
            onChange={(value) => setColorScheme(value as "light" | "dark" | "auto")}
          />
        </Labelled>
      </Stack>
    </Section>
  );
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group gap="sm">
      <Text size="sm" c="dimmed" w={80} aria-hidden>
        {label}
      </Text>
      {children}
    </Group>
  );
}
