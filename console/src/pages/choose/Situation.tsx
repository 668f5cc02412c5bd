import { Group, NumberInput, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { serverQuery } from "@/api/queries";
import { useAsked } from "./useAsked";

const PAUSE = 400; // ms without a key before the order is asked for again

/** For which machine the order is, and whether there is a teacher; this machine's unless said. */
export function Situation({ full }: { full: boolean }) {
  const { t } = useTranslation("choose");
  const { asked, set } = useAsked();
  const machine = useQuery(serverQuery).data?.machine;
  const tell = useDebouncedCallback(
    (name: string, value: string | number) => set({ [name]: String(value) }),
    PAUSE,
  );
  return (
    <Group gap="sm" align="flex-end">
      <NumberInput
        size="xs"
        w={110}
        label={t("gpus")}
        min={0}
        max={100_000}
        allowDecimal={false}
        placeholder={machine ? String(machine.gpus?.length ?? 0) : ""}
        defaultValue={asked.gpus ?? ""}
        onChange={(value) => tell("gpus", value)}
      />
      {full && (
        <>
          <NumberInput
            size="xs"
            w={130}
            label={t("memory")}
            min={1}
            allowDecimal={false}
            defaultValue={asked.memory ?? ""}
            onChange={(value) => tell("memory", value)}
          />
          <TextInput
            w={220}
            label={t("teacher")}
            placeholder={t("teacherNone")}
            defaultValue={asked.teacher}
            onChange={(event) => tell("teacher", event.currentTarget.value.trim())}
          />
        </>
      )}
    </Group>
  );
}
