import { Button, SegmentedControl, Stack, useMantineColorScheme } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { signOut } from "@/api/session";
import { useSwitchLanguage } from "@/app/Shell";
import { currentLanguage, LANGUAGES } from "@/i18n";
import { Page } from "@/ui/Page";

/** Language, theme, and the way out of this browser's session. */
export function SettingsPage() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const switchLanguage = useSwitchLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Page title={t("nav.settings")}>
      <Stack align="flex-start">
        <SegmentedControl
          aria-label={t("language")}
          value={currentLanguage()}
          data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
          onChange={(value) => switchLanguage(value === "zh" ? "zh" : "en")}
        />
        <SegmentedControl
          aria-label={t("theme.label")}
          value={colorScheme}
          data={(["light", "dark", "auto"] as const).map((value) => ({
            value,
            label: t(`theme.${value}`),
          }))}
          onChange={(value) => setColorScheme(value as "light" | "dark" | "auto")}
        />
        <Button variant="default" onClick={() => void signOut().then(() => client.resetQueries())}>
          {t("signOut")}
        </Button>
      </Stack>
    </Page>
  );
}
