import { useEffect, useState } from "react";
import { formatDuration } from "@/format/time";
import { currentLanguage } from "@/i18n";

interface Props {
  from: string | null | undefined;
  /** Its end; without one it lasts until now. */
  to?: string | null | undefined;
}

/** How long something took, or takes so far: then it counts on by itself. */
export function Elapsed({ from, to }: Props) {
  const [now, setNow] = useState(Date.now);
  const live = Boolean(from) && !to;
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [live]);
  if (!from) return <span>–</span>;
  const end = to ? Date.parse(to) : Math.max(now, Date.parse(from));
  const seconds = (end - Date.parse(from)) / 1000;
  // Tenths that jump with every second say nothing.
  const shown = live ? Math.floor(seconds) : Math.max(0, seconds);
  return <span style={{ whiteSpace: "nowrap" }}>{formatDuration(shown, currentLanguage())}</span>;
}
