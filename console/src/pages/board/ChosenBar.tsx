import { ActionIcon, Button, Text, Tooltip } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { FloatingBar } from "@/ui/FloatingBar";

interface Props {
  chosen: string[];
  /** What each is called. */
  labels: ReadonlyMap<string, string>;
  /** The address of their comparison. */
  search: Record<string, string>;
  onChange: (chosen: string[]) => void;
}

/** The models chosen on the board, and the way to compare them. */
export function ChosenBar({ chosen, labels, search, onChange }: Props) {
  const { t } = useTranslation("board");
  const [a = "", b = ""] = chosen;
  return (
    <FloatingBar label={t("bar.label")}>
      <Text size="sm" role="status" maw={420} truncate>
        <b>A</b> {labels.get(a)}
        {b && (
          <>
            {" · "}
            <b>B</b> {labels.get(b)}
          </>
        )}
      </Text>
      {b ? (
        <>
          <Tooltip label={t("bar.swap")}>
            <ActionIcon aria-label={t("bar.swap")} onClick={() => onChange([b, a])}>
              <IconArrowsExchange size={16} />
            </ActionIcon>
          </Tooltip>
          <Link to="/board/compare" search={search} style={{ textDecoration: "none" }}>
            <Button component="span">{t("bar.compare")}</Button>
          </Link>
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {t("bar.one")}
        </Text>
      )}
      <Button variant="subtle" color="gray" onClick={() => onChange([])}>
        {t("bar.clear")}
      </Button>
    </FloatingBar>
  );
}
