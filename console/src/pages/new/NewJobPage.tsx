import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Empty } from "@/ui/Empty";
import { Page } from "@/ui/Page";

/** The commands that make, check and submit an experiment, for the method in the address. */
export function NewJobPage() {
  const { t } = useTranslation("newJob");
  const { method } = useSearch({ strict: false }) as { method?: string };
  const chosen = method && /^[\w-]+\/[\w-]+$/.test(method) ? method : "trl/sft";
  const commands = `sf new my-run --method ${chosen}\nsf validate my-run\nsf submit my-run`;
  return (
    <Page title={t("title")}>
      <Empty title={t("newTitle")} text={t("newText")} command={commands} />
    </Page>
  );
}
