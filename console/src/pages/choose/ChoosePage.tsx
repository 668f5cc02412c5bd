import { useTranslation } from "react-i18next";
import { Page } from "@/ui/Page";

export function ChoosePage() {
  const { t } = useTranslation("methods");
  return <Page title={t("title")}>{null}</Page>;
}
