import { useTranslation } from "react-i18next";
import { Page } from "@/ui/Page";

export function NewJobPage() {
  const { t } = useTranslation("newJob");
  return <Page title={t("title")}>{null}</Page>;
}
