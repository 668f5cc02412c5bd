import { Button } from "@mantine/core";
import { IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import type { QueryKey } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { RunStateName } from "./queries";
import { type RunKind, useRunActions } from "./useRunActions";

interface Props {
  kind: RunKind;
  run: { id: string; state: RunStateName };
  queryKey: QueryKey;
  /** States after which it can go on. */
  resumable: RunStateName[];
}

/** What can be done to a pipeline or a sweep now. */
export function RunActions({ kind, run, queryKey, resumable }: Props) {
  const { t } = useTranslation("runs");
  const act = useRunActions(kind, run.id, queryKey, t(`${kind}.failed`));
  if (run.state === "running") {
    return (
      <Button
        variant="default"
        leftSection={<IconPlayerStop size={14} />}
        loading={act.isPending}
        onClick={() => act.mutate("stop")}
      >
        {t("common:actions.stop")}
      </Button>
    );
  }
  if (!resumable.includes(run.state)) return null;
  return (
    <Button
      leftSection={<IconPlayerPlay size={14} />}
      loading={act.isPending}
      onClick={() => act.mutate("resume")}
    >
      {t("common:actions.resume")}
    </Button>
  );
}
