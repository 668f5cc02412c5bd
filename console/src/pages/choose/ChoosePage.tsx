import { useTranslation } from "react-i18next";
import { Empty } from "@/ui/Empty";
import { Page } from "@/ui/Page";

/** Where `sf suggest` says which methods fit the data at hand. */
export function ChoosePage() {
  const { t } = useTranslation("newJob");
  const { t: common } = useTranslation();
  return (
    <Page title={common("nav.choose")}>
      <Empty
        title={t("chooseTitle")}
        text={t("chooseText")}
        command="sf suggest data/train.jsonl"
      />
    </Page>
  );
}
