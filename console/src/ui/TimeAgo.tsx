import { Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatExact, formatRelative } from "@/format/time";
import { currentLanguage } from "@/i18n";

/** How long ago, with the exact time on hover. Counts on by itself. */
export function TimeAgo({ at, size = "sm" }: { at: string | null | undefined; size?: string }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 20_000);
    return () => clearInterval(timer);
  }, []);
  if (!at)
    return (
      <Text span size={size} c="dimmed">
        –
      </Text>
    );
  const when = new Date(at);
  const language = currentLanguage();
  // The clock of this page may stand behind the server's.
  const shown = formatRelative(when, when > now ? when : now, language);
  return (
    <Tooltip label={formatExact(when, language)}>
      <Text span size={size} c="dimmed" style={{ whiteSpace: "nowrap" }}>
        <time dateTime={at}>{shown}</time>
      </Text>
    </Tooltip>
  );
}
