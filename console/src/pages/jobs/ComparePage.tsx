import { useTranslation } from "react-i18next";
import { Page } from "@/ui/Page";

export function ComparePage() {
  const { t } = useTranslation("jobs");
  return <Page title={t("title")}>{null}</Page>;
}
