import { Button, Group, List, Modal, Paper, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, ask, type Job, type Schemas } from "@/api/client";
import { showRefusal } from "../job/header/useJobActions";
import { MOST_COMPARED } from "./compare";

type Asked = "stop" | "delete" | "tag";
const MOST = 500; // jobs in one request
const NAMED = 12;

interface Props {
  ids: string[];
  loaded: Map<number, Job>;
  onDone: () => void;
}

/** What can be done to the selected jobs; each step names them first. */
export function BulkBar({ ids, loaded, onDone }: Props) {
  const { t } = useTranslation("jobs");
  const [asked, setAsked] = useState<Asked | null>(null);
  const [tag, setTag] = useState("");
  const client = useQueryClient();
  const names = new Map([...loaded.values()].map((job) => [job.id, job.name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const bulk = useMutation({
    mutationFn: (action: Asked) => inParts(ids, action, tag.trim()),
    onSuccess: (results) => {
      void client.invalidateQueries({ queryKey: ["jobs"] });
      for (const one of results.filter((result) => !result.ok).slice(0, 5)) {
        showRefusal(
          t("bulk.refused", { name: nameOf(one.id ?? one.ref) }),
          new Error(one.error?.message ?? ""),
        );
      }
      const done = results.filter((result) => result.ok).length;
      if (done > 0) notifications.show({ message: t("bulk.done", { count: done }) });
      setAsked(null);
      setTag("");
      if (done === results.length) onDone();
    },
    onError: (error) => showRefusal(t("common:errors.title"), error),
  });
  return (
    <Paper
      component="section"
      aria-label={t("bulk.bar")}
      shadow="md"
      withBorder
      p="xs"
      pos="fixed"
      bottom={14}
      left="50%"
      style={{ transform: "translateX(-50%)", zIndex: 50, maxWidth: "96vw" }}
    >
      <Group gap="xs" justify="center">
        <Text size="sm" fw={500} role="status">
          {t("common:table.selected", { count: ids.length })}
        </Text>
        {ids.length > 1 && ids.length <= MOST_COMPARED && (
          <Link to="/compare" search={{ jobs: ids.join(",") }} style={{ textDecoration: "none" }}>
            <Button component="span">{t("bulk.compare")}</Button>
          </Link>
        )}
        <Button variant="default" onClick={() => setAsked("stop")}>
          {t("bulk.stop")}
        </Button>
        <Button variant="default" onClick={() => setAsked("tag")}>
          {t("bulk.tag")}
        </Button>
        <Button variant="default" onClick={() => setAsked("delete")}>
          {t("bulk.delete")}
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          {t("bulk.unselect")}
        </Button>
      </Group>
      <Modal
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={asked ? t(`bulk.${asked}`) : ""}
        closeButtonProps={{ "aria-label": t("common:actions.close") }}
      >
        <Stack gap="sm">
          {asked === "stop" && <Text size="sm">{t("bulk.confirmStop")}</Text>}
          {asked === "delete" && <Text size="sm">{t("bulk.confirmDelete")}</Text>}
          {asked === "tag" && (
            <TextInput
              data-autofocus
              label={t("bulk.tagName")}
              maxLength={100}
              value={tag}
              onChange={(event) => setTag(event.currentTarget.value)}
            />
          )}
          <List size="sm">
            {ids.slice(0, NAMED).map((id) => (
              <List.Item key={id}>{nameOf(id)}</List.Item>
            ))}
          </List>
          {ids.length > NAMED && (
            <Text size="sm" c="dimmed">
              {t("bulk.more", { count: ids.length - NAMED })}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsked(null)}>
              {t("common:actions.cancel")}
            </Button>
            <Button
              color={asked === "delete" ? "red.9" : undefined}
              loading={bulk.isPending}
              disabled={asked === "tag" && !tag.trim()}
              onClick={() => asked && bulk.mutate(asked)}
            >
              {asked ? t(`bulk.${asked}`) : ""}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Paper>
  );
}

async function inParts(
  ids: string[],
  action: Asked,
  tag: string,
): Promise<Schemas["BulkResult"][]> {
  const results: Schemas["BulkResult"][] = [];
  for (let start = 0; start < ids.length; start += MOST) {
    const body = {
      ids: ids.slice(start, start + MOST),
      action,
      tags: action === "tag" ? [tag] : [],
      force: false,
    };
    results.push(...(await ask(api.POST("/api/v1/jobs/bulk", { body }))));
  }
  return results;
}
