import { Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Page } from "@/ui/Page";
import classes from "./choose.module.css";
import { DropZone } from "./DropZone";
import { Questions } from "./Questions";
import { Situation } from "./Situation";
import { Suggestion } from "./Suggestion";
import { useAsked } from "./useAsked";

/** Which method: by a few questions, or by a look at the data. */
export function ChoosePage() {
  const { t } = useTranslation("choose");
  const { asked } = useAsked();
  return (
    <Page title={t("title")} subtitle={asked.digest ? undefined : t("subtitle")}>
      {asked.digest ? (
        <Suggestion key={asked.digest} />
      ) : (
        <div className={classes.layout}>
          <Questions />
          <Stack gap="md">
            <DropZone />
            <Situation full={false} />
          </Stack>
        </div>
      )}
    </Page>
  );
}
