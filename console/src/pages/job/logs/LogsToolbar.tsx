import { Button, Group, SegmentedControl, Select, Switch, TextInput } from "@mantine/core";
import { IconAlertCircle, IconDownload, IconFilter } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import type { Level } from "./logModel";

type Stream = Schemas["LogStream"];

interface Props {
  job: string;
  streams: Stream[];
  stream: Stream;
  filter: string;
  level: Level | null;
  problem: string | null;
  follow: boolean;
  live: boolean;
  onFollow: (follow: boolean) => void;
  onChange: (search: Record<string, string | undefined>) => void;
  onFirstError: () => void;
}

const idOf = (stream: Stream) => `${stream.attempt} ${stream.role} ${stream.rank}`;

/** Which log, which of its lines, and what to do with it. */
export function LogsToolbar(props: Props) {
  const { t } = useTranslation("logs");
  const { stream } = props;
  const raw = new URLSearchParams({
    attempt: String(stream.attempt),
    role: stream.role,
    rank: String(stream.rank),
  });
  return (
    <Group gap="sm" align="flex-start" className="sf-fields">
      <Select
        w={210}
        aria-label={t("which")}
        allowDeselect={false}
        value={idOf(stream)}
        data={props.streams.map((one) => ({
          value: idOf(one),
          label: t("stream", { ...one }),
        }))}
        onChange={(id) => {
          const [attempt, role, rank] = (id ?? "").split(" ");
          props.onChange({ attempt, role, rank, line: undefined });
        }}
      />
      <FilterBox {...props} />
      <SegmentedControl
        size="xs"
        aria-label={t("level")}
        value={props.level ?? "all"}
        data={["all", "warning", "error"].map((value) => ({ value, label: t(`levels.${value}`) }))}
        onChange={(level) => props.onChange({ level: level === "all" ? undefined : level })}
      />
      <Button
        variant="default"
        leftSection={<IconAlertCircle size={14} />}
        onClick={props.onFirstError}
      >
        {t("firstError")}
      </Button>
      <Button
        variant="default"
        component="a"
        href={`/api/v1/jobs/${encodeURIComponent(props.job)}/logs/raw?${raw}`}
        download={`${props.job}-${stream.attempt}-${stream.role}-${stream.rank}.log`}
        leftSection={<IconDownload size={14} />}
      >
        {t("download")}
      </Button>
      {props.live && (
        <Switch
          mt={6}
          size="xs"
          label={t("follow")}
          checked={props.follow}
          onChange={(event) => props.onFollow(event.currentTarget.checked)}
        />
      )}
    </Group>
  );
}

const PAUSE = 300; // ms without a key before the search starts

function FilterBox({ filter, problem, onChange }: Props) {
  const { t } = useTranslation("logs");
  const [text, setText] = useState(filter);
  useEffect(() => setText(filter), [filter]);
  useEffect(() => {
    if (text === filter) return;
    const timer = setTimeout(() => onChange({ filter: text || undefined }), PAUSE);
    return () => clearTimeout(timer);
  }, [text, filter, onChange]);
  return (
    <TextInput
      data-search
      wrapperProps={{ "data-wide": true }}
      w={260}
      type="search"
      aria-label={t("filter")}
      placeholder={t("filter")}
      leftSection={<IconFilter size={14} />}
      value={text}
      error={problem && t("badPattern", { problem })}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
