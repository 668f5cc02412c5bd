import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { serverQuery } from "@/api/queries";
import { CodeText } from "@/ui/CodeText";
import { CommandBlock } from "@/ui/CommandBlock";
import { Section } from "@/ui/Section";

/** Names under which only this machine is reached. */
const LOOPBACK = /^(localhost|127\.|\[::1\])/;

/** How `sf` and browsers of other machines get in: the token, and a tunnel where it takes one. */
export function OtherMachines() {
  const { t } = useTranslation("settings");
  const home = useQuery(serverQuery).data?.home;
  const { origin, hostname, port } = window.location;
  const local = LOOPBACK.test(hostname);
  return (
    <Section id="tokens" title={t("token")}>
      <Stack gap={8}>
        <Text size="sm">
          <CodeText>{t("tokenText")}</CodeText>
        </Text>
        {home && <CommandBlock text={`cat ${home}/token`} />}
        <Text size="sm">
          <CodeText>{t("login")}</CodeText>
        </Text>
        <CommandBlock text={`sf login ${origin}`} />
        <Text size="sm">{t("browser")}</Text>
        <CommandBlock text="sf open --print" />
        {local && port && (
          <>
            <Text size="sm" c="dimmed">
              <CodeText>{t("tunnel", { host: hostname })}</CodeText>
            </Text>
            <CommandBlock text={`ssh -N -L ${port}:127.0.0.1:${port} ${t("machineName")}`} />
          </>
        )}
      </Stack>
    </Section>
  );
}
