import { SimpleGrid, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Page } from "@/ui/Page";
import { Appearance } from "./Appearance";
import { OtherMachines } from "./OtherMachines";
import { Runtimes } from "./Runtimes";
import { ServerFacts } from "./ServerFacts";
import { ThisBrowser } from "./ThisBrowser";

/** How it looks, who is signed in, ways in from elsewhere, the server, its runtimes. */
export function SettingsPage() {
  const { t } = useTranslation("settings");
  return (
    <Page title={t("title")}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" verticalSpacing="md">
        <Stack gap="md">
          <Appearance />
          <ThisBrowser />
          <OtherMachines />
        </Stack>
        <div>
          <ServerFacts />
        </div>
      </SimpleGrid>
      <Runtimes />
    </Page>
  );
}
