import { useTranslation } from "react-i18next";
import { Page } from "@/ui/Page";

export function SettingsPage() {
  const { t } = useTranslation("settings");
  return <Page title={t("title")}>{null}</Page>;
}
