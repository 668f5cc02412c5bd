import { Button, Group, List, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showRefusal } from "../job/header/useJobActions";
import { type BulkAction, type BulkResult, inParts, MOST, namedFirst } from "./bulk";

const NAMED = 12;
const REFUSALS = 3; // told one by one; the others are counted

interface Props {
  action: BulkAction;
  ids: string[];
  names: ReadonlyMap<string, string>;
  onClose: () => void;
  /** Every job took it. */
  onDone: () => void;
}

/** Names what is about to be done, and to which jobs. */
export function BulkDialog({ action, ids, names, onClose, onDone }: Props) {
  const { t } = useTranslation("jobs");
  const [tag, setTag] = useState("");
  const { bulk, asked } = useBulk({ action, ids, names, onClose, onDone });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(`bulk.${action}`)}
      closeButtonProps={{ "aria-label": t("common:actions.close") }}
    >
      <Stack gap="sm">
        {action === "stop" && <Text size="sm">{t("bulk.confirmStop")}</Text>}
        {action === "delete" && <Text size="sm">{t("bulk.confirmDelete")}</Text>}
        {action === "tag" && (
          <TextInput
            data-autofocus
            label={t("bulk.tagName")}
            maxLength={100}
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
          />
        )}
        <List size="sm" style={{ overflowWrap: "anywhere" }}>
          {namedFirst(ids, names)
            .slice(0, NAMED)
            .map((id) => (
              <List.Item key={id}>{names.get(id) ?? id}</List.Item>
            ))}
        </List>
        {ids.length > NAMED && (
          <Text size="sm" c="dimmed">
            {t("bulk.more", { count: ids.length - NAMED })}
          </Text>
        )}
        <Group justify="flex-end">
          {bulk.isPending && ids.length > MOST && (
            <Text size="sm" c="dimmed" role="status">
              {t("bulk.far", { count: asked, all: ids.length })}
            </Text>
          )}
          <Button variant="default" onClick={onClose}>
            {t("common:actions.cancel")}
          </Button>
          <Button
            color={action === "delete" ? "red.9" : undefined}
            loading={bulk.isPending}
            disabled={action === "tag" && !tag.trim()}
            onClick={() => bulk.mutate(tag.trim())}
          >
            {t(`bulk.${action}`)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function useBulk({ action, ids, names, onClose, onDone }: Props) {
  const { t } = useTranslation("jobs");
  const client = useQueryClient();
  const [asked, setAsked] = useState(0);
  function tell(results: BulkResult[]) {
    const refused = results.filter((one) => !one.ok);
    for (const one of refused.slice(0, REFUSALS)) {
      const name = names.get(one.id ?? one.ref) ?? one.ref;
      showRefusal(t("bulk.refused", { name }), new Error(one.error?.message ?? ""));
    }
    const others = refused.length - REFUSALS;
    if (others > 0) {
      notifications.show({ color: "red", message: t("bulk.refusedMore", { count: others }) });
    }
    const done = results.length - refused.length;
    if (done > 0) notifications.show({ message: t("bulk.done", { count: done }) });
    if (refused.length === 0) onDone();
  }
  const bulk = useMutation({
    mutationFn: (tag: string) => inParts(ids, action, tag, setAsked),
    onSuccess: (results) => {
      tell(results);
      onClose();
    },
    onError: (error) => showRefusal(t("common:errors.title"), error),
    // A part that failed comes after parts that were done.
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }),
  });
  return { bulk, asked };
}
