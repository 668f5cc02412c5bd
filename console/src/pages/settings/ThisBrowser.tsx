import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { sessionQuery, signOut } from "@/api/session";
import { formatExact } from "@/format/time";
import { currentLanguage } from "@/i18n";
import { Section } from "@/ui/Section";

/** Who is signed in here and until when, and the way out. */
export function ThisBrowser() {
  const { t } = useTranslation("settings");
  const session = useQuery(sessionQuery).data;
  if (!session) return null;
  const until = session.expires_at
    ? formatExact(new Date(session.expires_at), currentLanguage())
    : null;
  return (
    <Section title={t("session")}>
      <Group justify="space-between" gap="sm">
        <Text component="div" size="sm">
          {t("signedIn", { user: session.user })}
          {until && (
            <Text size="xs" c="dimmed">
              {t("until", { time: until })}
            </Text>
          )}
        </Text>
        {/* Loaded anew: nothing of what was seen stays in this page's memory. */}
        <Button
          variant="default"
          onClick={() => void signOut().then(() => window.location.reload())}
        >
          {t("common:signOut")}
        </Button>
      </Group>
    </Section>
  );
}
