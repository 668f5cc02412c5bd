import { useTranslation } from "react-i18next";
import { Page } from "@/ui/Page";

export function JobPage() {
  const { t } = useTranslation("job");
  return <Page title={t("title")}>{null}</Page>;
}
