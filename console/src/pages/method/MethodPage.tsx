import { useTranslation } from "react-i18next";
import { Page } from "@/ui/Page";

export function MethodPage() {
  const { t } = useTranslation("methods");
  return <Page title={t("title")}>{null}</Page>;
}
