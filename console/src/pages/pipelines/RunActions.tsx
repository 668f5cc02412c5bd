import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import type { QueryKey } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeText } from "@/ui/CodeText";
import { CommandBlock } from "@/ui/CommandBlock";
import type { RunStateName } from "./queries";
import { commandOf, type RunKind, type RunVerb, verbOf } from "./runs";
import { useRunActions } from "./useRunActions";

interface Props {
  kind: RunKind;
  run: { id: string; name: string; state: RunStateName };
  queryKey: QueryKey;
}

/** What can be done to a pipeline or a sweep now: it asks first, and says the same as `sf`. */
export function RunActions({ kind, run, queryKey }: Props) {
  const { t } = useTranslation("runs");
  const [asked, setAsked] = useState<RunVerb | null>(null);
  const act = useRunActions(kind, run.id, queryKey, t(`${kind}.failed`));
  const verb = verbOf(kind, run.state);
  function confirm() {
    if (asked) act.mutate(asked);
    setAsked(null);
  }
  return (
    <>
      {verb && (
        <Button
          variant={verb === "stop" ? "default" : "filled"}
          leftSection={
            verb === "stop" ? <IconPlayerStop size={14} /> : <IconPlayerPlay size={14} />
          }
          loading={act.isPending}
          onClick={() => setAsked(verb)}
        >
          {t(`common:actions.${verb}`)}
        </Button>
      )}
      <Modal
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={run.name}
        closeButtonProps={{ "aria-label": t("common:actions.close") }}
      >
        {asked && (
          <Stack>
            <Text size="sm" component="div">
              <CodeText>{t(`${kind}.confirm.${asked}`)}</CodeText>
            </Text>
            <CommandBlock text={commandOf(kind, asked, run.id)} />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setAsked(null)} data-autofocus>
                {t("common:actions.cancel")}
              </Button>
              <Button color={asked === "stop" ? "red.9" : undefined} onClick={confirm}>
                {t(`common:actions.${asked}`)}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}
