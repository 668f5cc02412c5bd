import { Badge, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";

/** Where a method runs on this server, and whether it could start there now. */
export function PlaceBadge({ place }: { place: Schemas["MethodPlace"] | null | undefined }) {
  const { t } = useTranslation("methods");
  if (!place) return null;
  if (place.kind === "none") return <State color="gray" label={t("place.own")} />;
  const label = place.ready ? t("place.ready") : t("place.missing");
  const badge = <State color={place.ready ? "green" : "gray"} label={label} />;
  const named = t(`place.${place.kind}`, { name: place.name, defaultValue: place.name });
  return (
    <Tooltip label={place.detail || named} multiline maw={360}>
      <span>{badge}</span>
    </Tooltip>
  );
}

function State({ color, label }: { color: string; label: string }) {
  const dot = color === "green" ? "var(--sf-succeeded)" : "var(--sf-waiting)";
  return (
    <Badge
      variant="default"
      size="sm"
      tt="none"
      fw={500}
      leftSection={<span className="sf-dot" style={{ color: dot }} />}
    >
      {label}
    </Badge>
  );
}
