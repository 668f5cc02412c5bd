import { Group, Modal, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

const KEYS = [
  ["?", "help"],
  ["/", "search"],
  ["j", "down"],
  ["k", "up"],
  ["Enter", "open"],
  ["g j", "goJobs"],
  ["g m", "goMethods"],
  ["g c", "goChoose"],
  ["g n", "goNew"],
  ["g p", "goPipelines"],
  ["g s", "goSweeps"],
  ["g b", "goBoard"],
  ["g ,", "goSettings"],
  ["g t", "theme"],
  ["g l", "language"],
] as const;

/** All keys of the console. */
export function Shortcuts({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t("shortcuts.title")}
      closeButtonProps={{ "aria-label": t("actions.close") }}
    >
      <Stack gap={6}>
        {KEYS.map(([keys, what]) => (
          <Group key={keys} justify="space-between">
            <Text size="sm">{t(`shortcuts.${what}`)}</Text>
            <Group gap={4}>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Modal>
  );
}
