import { Button, Group, Loader, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDownload, IconPlayerPlay, IconTerminal2 } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import { CommandBlock } from "@/ui/CommandBlock";
import { Problem } from "@/ui/Problem";
import { check, download, submit } from "../form/calls";
import { type Form, useForm } from "../form/useForm";
import { AllFindings } from "./Findings";
import classes from "./side.module.css";

/** What the checks say, and what can be done with the form. */
export function Side() {
  const { t } = useTranslation("newJob");
  const form = useForm();
  const send = useSubmit(form);
  const save = useMutation({ mutationFn: () => download(form.body) });
  const [commands, commandsHandlers] = useDisclosure();
  const away = form.error instanceof ApiError && form.error.away;
  return (
    <aside className={`sf-panel ${classes.side}`} aria-label={t("side.title")}>
      <Stack gap="sm">
        <Verdict />
        {away && <Problem error={form.error} title={t("side.notChecked")} />}
        <AllFindings />
        {send.error && <Problem error={send.error} title={t("side.notSubmitted")} />}
        <Button
          size="sm"
          leftSection={<IconPlayerPlay size={15} />}
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          {t("side.submit")}
        </Button>
        <Group gap="xs" grow>
          <Button
            variant="default"
            leftSection={<IconTerminal2 size={14} />}
            disabled={!form.checked}
            onClick={commandsHandlers.open}
          >
            {t("side.commands")}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={14} />}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {t("side.download")}
          </Button>
        </Group>
        {save.error && <Problem error={save.error} title={t("side.notSaved")} />}
        <StartOver />
      </Stack>
      <Modal
        opened={commands}
        onClose={commandsHandlers.close}
        size="xl"
        title={t("side.commandsTitle")}
        closeButtonProps={{ "aria-label": t("common:actions.close") }}
      >
        <Text size="sm" c="dimmed" mb="sm">
          {t("side.commandsText")}
        </Text>
        <CommandBlock text={form.checked?.bundle.commands.trimEnd() ?? ""} />
      </Modal>
    </aside>
  );
}

/** How things stand, in one line that is read out when it changes. */
function Verdict() {
  const { t } = useTranslation("newJob");
  const { found, checked, current, error } = useForm();
  const all = [...found.values()].flat();
  const errors = all.filter((one) => one.severity === "error").length;
  const warnings = all.filter((one) => one.severity === "warning").length;
  const said =
    errors > 0
      ? t("side.errors", { count: errors })
      : checked
        ? t("side.ready")
        : error
          ? t("side.notChecked")
          : t("side.checking");
  const color = errors > 0 ? "var(--sf-failed)" : checked ? "var(--sf-succeeded)" : undefined;
  return (
    <Group gap={8} justify="space-between" wrap="nowrap" role="status">
      <Text size="sm" fw={600} {...(color ? { c: color } : {})}>
        {said}
        {warnings > 0 && (
          <Text span size="sm" fw={400} c="dimmed">
            {` · ${t("side.warnings", { count: warnings })}`}
          </Text>
        )}
      </Text>
      <Loader size={14} style={{ visibility: current || error ? "hidden" : "visible" }} />
    </Group>
  );
}

/** Check the form as it is now, submit exactly that, and go to the job. */
function useSubmit(form: Form) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      const checked = await check(form.body);
      if (!checked.planned.ok) return { refused: checked.planned.findings };
      return { job: await submit(form.draft, checked, form.nonce) };
    },
    onSuccess: ({ job, refused }) => {
      if (!job) {
        form.refuse(refused ?? []);
        return;
      }
      form.done();
      client.setQueryData(["job", job.id], job);
      void client.invalidateQueries({ queryKey: ["jobs"] });
      void navigate({ to: "/jobs/$job", params: { job: job.id }, search: {} });
    },
  });
}

function StartOver() {
  const { t } = useTranslation("newJob");
  const { touched, reset } = useForm();
  const [asked, handlers] = useDisclosure();
  if (!touched) return null;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {t("side.kept")}
        </Text>
        <Button variant="subtle" color="gray" size="compact-xs" onClick={handlers.open}>
          {t("side.reset")}
        </Button>
      </Group>
      <Modal
        opened={asked}
        onClose={handlers.close}
        title={t("side.reset")}
        closeButtonProps={{ "aria-label": t("common:actions.close") }}
      >
        <Stack>
          <Text size="sm">{t("side.resetText")}</Text>
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={handlers.close}>
              {t("common:actions.cancel")}
            </Button>
            <Button
              color="red.9"
              onClick={() => {
                reset();
                handlers.close();
              }}
            >
              {t("side.reset")}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
