import { Button, Code, Stack } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Empty } from "@/ui/Empty";

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <Empty title={t("errors.notFound")} text={t("errors.notFoundHint")}>
      <Button component={Link} to="/jobs" variant="default">
        {t("errors.toJobs")}
      </Button>
    </Empty>
  );
}

/** A defect of ours: said plainly, with what helps to mend it. Nothing typed elsewhere is lost. */
export function CrashPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  return (
    <Stack p="lg">
      <Empty title={t("errors.crashed")} text={t("errors.crashedHint")}>
        <Button variant="default" onClick={() => window.location.reload()}>
          {t("actions.retry")}
        </Button>
      </Empty>
      <Code block>{error instanceof Error ? (error.stack ?? error.message) : String(error)}</Code>
    </Stack>
  );
}
