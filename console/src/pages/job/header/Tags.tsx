import { Badge, Button, CloseButton, Group, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobDetail } from "@/api/client";
import { useJobActions } from "./useJobActions";

/** The job's tags: each leads to the jobs that carry it, can be taken away, and new ones added. */
export function Tags({ job }: { job: JobDetail }) {
  const { t } = useTranslation("job");
  const { edit } = useJobActions(job);
  const [text, setText] = useState<string | null>(null);
  function add() {
    const tag = (text ?? "").trim();
    if (tag && !(job.tags ?? []).includes(tag)) edit.mutate({ add_tags: [tag] });
    setText(null);
  }
  return (
    <Group gap={4}>
      {(job.tags ?? []).map((tag) => (
        <Badge
          key={tag}
          pr={2}
          rightSection={
            <CloseButton
              size={16}
              aria-label={t("header.removeTag", { tag })}
              onClick={() => edit.mutate({ remove_tags: [tag] })}
            />
          }
        >
          <Link to="/jobs" search={{ tag }} className="sf-link">
            {tag}
          </Link>
        </Badge>
      ))}
      {text === null ? (
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          leftSection={<IconPlus size={12} />}
          onClick={() => setText("")}
        >
          {t("header.addTag")}
        </Button>
      ) : (
        <TextInput
          w={140}
          value={text}
          maxLength={100}
          aria-label={t("header.tag")}
          autoFocus
          onChange={(event) => setText(event.currentTarget.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key === "Enter") add();
            if (event.key === "Escape") setText(null);
          }}
        />
      )}
    </Group>
  );
}
