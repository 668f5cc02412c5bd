import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, ask } from "@/api/client";
import { formatBytes } from "@/format/number";
import { Problem } from "@/ui/Problem";
import type { Runtime } from "./queries";

interface Props {
  /** All builds of one name and device. */
  builds: Runtime[];
  opened: boolean;
  onClose: () => void;
}

/** Asks before a runtime is removed; says why when the server refuses. */
export function RemoveRuntime({ builds, opened, onClose }: Props) {
  const { t } = useTranslation("settings");
  const client = useQueryClient();
  const { name = "", device = "" } = builds[0] ?? {};
  const size = builds.reduce((sum, one) => sum + (one.size ?? 0), 0);
  const remove = useMutation({
    mutationFn: () =>
      ask(api.DELETE("/api/v1/runtimes/{name}/{device}", { params: { path: { name, device } } })),
    onSuccess: () => {
      for (const key of ["runtimes", "methods", "method"]) {
        void client.invalidateQueries({ queryKey: [key] });
      }
      onClose();
    },
  });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`${name} (${device})`}
      closeButtonProps={{ "aria-label": t("common:actions.close") }}
    >
      <Stack>
        <Text size="sm">
          {t("confirmRemove", { count: builds.length, size: formatBytes(size) })}
        </Text>
        {remove.error && <Problem error={remove.error} title={t("removeFailed")} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t("common:actions.cancel")}
          </Button>
          <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t("remove")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
