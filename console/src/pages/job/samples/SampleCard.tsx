import { Badge, Box, Group, Text, Tooltip } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format/number";
import { extra, type Sample, textOf } from "./sampleModel";

const LONG = 1200; // characters shown before a text is folded

/** A text as the model wrote it: line breaks kept, never as markup; long ones folded. */
export function LongText({ text, label }: { text: string; label: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const long = text.length > LONG;
  return (
    <Box>
      <Text size="xs" c="dimmed" fw={600}>
        {label}
      </Text>
      <Text size="sm" component="div" style={{ whiteSpace: "pre-wrap" }}>
        {long && !open ? `${text.slice(0, LONG)}…` : text || "—"}
      </Text>
      {long && (
        <Text
          component="button"
          type="button"
          size="xs"
          c="var(--sf-running)"
          style={{ all: "unset", cursor: "pointer", fontSize: 12, color: "var(--sf-running)" }}
          onClick={() => setOpen(!open)}
        >
          {t(open ? "actions.showLess" : "actions.showAll")}
        </Text>
      )}
    </Box>
  );
}

/** Reward with its parts, length, truncation: the facts of one completion. */
export function SampleFacts({ sample, place }: { sample: Sample; place: boolean }) {
  const { t } = useTranslation("samples");
  const { rewards, length, truncated, group } = extra(sample);
  return (
    <Group gap={6}>
      {sample.reward !== null && sample.reward !== undefined && (
        <Badge color="forge">
          {t("reward")} {formatNumber(sample.reward)}
        </Badge>
      )}
      {Object.entries(rewards ?? {}).map(([name, value]) => (
        <Badge key={name}>
          {name} {formatNumber(value)}
        </Badge>
      ))}
      {length !== undefined && length !== null && (
        <Badge>{t("tokens", { count: length, shown: formatNumber(length) })}</Badge>
      )}
      {truncated === true && (
        <Tooltip label={t("truncatedHint")}>
          <Badge color="yellow" c="var(--sf-warning)">
            {t("truncated")}
          </Badge>
        </Tooltip>
      )}
      <Text size="xs" c="dimmed">
        {[
          place && typeof sample.step === "number" && t("step", { step: sample.step }),
          place && group !== undefined && group !== null && t("group", { group }),
          sample.attempt > 0 && t("attempt", { attempt: sample.attempt }),
        ]
          .filter(Boolean)
          .join(" · ")}
      </Text>
    </Group>
  );
}

interface Props {
  sample: Sample;
  /** In a group the prompt stands once above all, as do its step and group. */
  withPrompt?: boolean;
}

export function SampleCard({ sample, withPrompt = true }: Props) {
  const { t } = useTranslation("samples");
  const { reference } = extra(sample);
  return (
    <Box className="sf-panel" p="sm" component="article">
      <SampleFacts sample={sample} place={withPrompt} />
      {withPrompt && (
        <Box mt="xs">
          <LongText text={textOf(sample, "prompt")} label={t("prompt")} />
        </Box>
      )}
      <Box mt="xs">
        <LongText text={textOf(sample, "completion")} label={t("completion")} />
      </Box>
      {typeof reference === "string" && reference !== "" && (
        <Box mt="xs">
          <LongText text={reference} label={t("reference")} />
        </Box>
      )}
    </Box>
  );
}
