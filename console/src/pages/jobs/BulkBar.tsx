import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Job } from "@/api/client";
import { FloatingBar } from "@/ui/FloatingBar";
import { showRefusal } from "../job/header/useJobActions";
import { BulkDialog } from "./BulkDialog";
import { type BulkAction, matchingIds } from "./bulk";
import { MOST_COMPARED } from "./compare";
import { isFiltered, type View } from "./view";

interface Props {
  ids: string[];
  loaded: Map<number, Job>;
  view: View;
  /** How many jobs the view has. */
  total: number;
  onSelect: (ids: string[]) => void;
}

/** What can be done to the selected jobs; each step names them first. */
export function BulkBar({ ids, loaded, view, total, onSelect }: Props) {
  const { t } = useTranslation("jobs");
  const [asked, setAsked] = useState<BulkAction | null>(null);
  const names = new Map([...loaded.values()].map((job) => [job.id, job.name]));
  return (
    <FloatingBar label={t("bulk.bar")}>
      <HowMany ids={ids} view={view} total={total} onSelect={onSelect} />
      {ids.length > 1 && ids.length <= MOST_COMPARED && (
        <Link to="/compare" search={{ jobs: ids.join(",") }} style={{ textDecoration: "none" }}>
          <Button component="span">{t("bulk.compare")}</Button>
        </Link>
      )}
      {(["stop", "tag", "delete"] as const).map((action) => (
        <Button key={action} variant="default" onClick={() => setAsked(action)}>
          {t(`bulk.${action}`)}
        </Button>
      ))}
      <Button variant="subtle" color="gray" onClick={() => onSelect([])}>
        {t("bulk.unselect")}
      </Button>
      {asked && (
        <BulkDialog
          action={asked}
          ids={ids}
          names={names}
          onClose={() => setAsked(null)}
          onDone={() => onSelect([])}
        />
      )}
    </FloatingBar>
  );
}

/** How many are selected of how many, and the way to all of them. */
function HowMany({ ids, view, total, onSelect }: Omit<Props, "loaded">) {
  const { t } = useTranslation("jobs");
  const all = useMutation({
    mutationFn: () => matchingIds(view),
    onSuccess: onSelect,
    onError: (error) => showRefusal(t("common:errors.title"), error),
  });
  const fewer = ids.length < total;
  // With a filter, some of the selected may be jobs that it hides.
  const said = fewer && !isFiltered(view) ? "bulk.selectedOf" : "bulk.selected";
  return (
    <>
      <Text size="sm" fw={500} role="status">
        {t(said, { count: ids.length, total })}
      </Text>
      {fewer && (
        <Button variant="light" loading={all.isPending} onClick={() => all.mutate()}>
          {t(isFiltered(view) ? "bulk.allThatMatch" : "bulk.all", { total })}
        </Button>
      )}
    </>
  );
}
