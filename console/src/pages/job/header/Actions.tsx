import { ActionIcon, Button, Group, Menu, Modal, Stack, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import {
  IconCopy,
  IconCopyPlus,
  IconDots,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { isLive } from "@/ui/StateBadge";
import { useJobActions } from "./useJobActions";

type Asked = "stopNow" | "retry" | "delete";

/** What can be done to the job now; what destroys something asks first. */
export function Actions({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const { act, remove } = useJobActions(job);
  const [asked, setAsked] = useState<Asked | null>(null);
  const clipboard = useClipboard();
  const live = isLive(job.state);
  const canResume = !live && job.resumable && job.state !== "succeeded";
  function confirm() {
    if (asked === "delete") remove.mutate();
    else if (asked) act.mutate(asked);
    setAsked(null);
  }
  return (
    <>
      {live && job.desired === "run" && (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={14} />}
          loading={act.isPending}
          onClick={() => act.mutate("stop")}
        >
          {t("actions.stop")}
        </Button>
      )}
      {live && job.desired === "stop" && (
        <Button variant="default" color="red" onClick={() => setAsked("stopNow")}>
          {t("actions.stopNow")}
        </Button>
      )}
      {canResume && (
        <Button
          leftSection={<IconPlayerPlay size={14} />}
          loading={act.isPending}
          onClick={() => act.mutate("resume")}
        >
          {t("actions.resume")}
        </Button>
      )}
      {job.bundle && (
        <Link to="/new" search={{ from: job.id }} style={{ textDecoration: "none" }}>
          <Button component="span" variant="default" leftSection={<IconCopyPlus size={14} />}>
            {t("actions.clone")}
          </Button>
        </Link>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={t("actions.menu")}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => clipboard.copy(job.id)}>
            {t("actions.copyId")}
          </Menu.Item>
          {live && job.desired === "run" && (
            <Menu.Item
              leftSection={<IconPlayerStop size={14} />}
              onClick={() => setAsked("stopNow")}
            >
              {t("actions.stopNow")}
            </Menu.Item>
          )}
          {!live && (
            <Menu.Item leftSection={<IconRefresh size={14} />} onClick={() => setAsked("retry")}>
              {t("actions.retryJob")}
            </Menu.Item>
          )}
          {!live && (
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={14} />}
              onClick={() => setAsked("delete")}
            >
              {t("common:actions.delete")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Confirm asked={asked} name={job.name} onClose={() => setAsked(null)} onConfirm={confirm} />
    </>
  );
}

interface ConfirmProps {
  asked: Asked | null;
  name: string;
  onClose: () => void;
  onConfirm: () => void;
}

function Confirm({ asked, name, onClose, onConfirm }: ConfirmProps) {
  const { t } = useTranslation("job");
  const texts = {
    stopNow: [t("actions.confirmStopNow"), t("actions.stopNow")],
    retry: [t("actions.confirmRetry"), t("actions.retryJob")],
    delete: [t("actions.confirmDelete"), t("common:actions.delete")],
  };
  const [question, verb] = asked ? texts[asked] : ["", ""];
  return (
    <Modal
      opened={asked !== null}
      onClose={onClose}
      title={name}
      closeButtonProps={{ "aria-label": t("common:actions.close") }}
    >
      <Stack>
        <Text size="sm">{question}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t("common:actions.cancel")}
          </Button>
          <Button color={asked === "retry" ? undefined : "red.9"} onClick={onConfirm}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
