import { Popover, Table, Text, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconStarFilled } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format/number";
import { CommandBlock } from "@/ui/CommandBlock";
import { KeyText } from "@/ui/KeyText";
import { TimeAgo } from "@/ui/TimeAgo";
import { commandLine } from "../new/form/plan";
import { seenOf } from "./board";
import styles from "./board.module.css";
import { type Column, errorOf, figureOf, isObject, type Score, settingText } from "./columns";

interface Props {
  column: Column;
  score: Score | undefined;
  /** The model's name as the row has it. */
  label: string;
}

/** One score with its error, how often it was measured, and whether it was trained on. */
export function ScoreCell({ column, score, label }: Props) {
  const { t } = useTranslation("board");
  if (!score) return null;
  const value = figureOf(score);
  const isBest = value !== null && value === column.best;
  const about = t("open", { model: label, benchmark: column.benchmark });
  return (
    <Popover position="bottom-start" shadow="md" width={360} trapFocus withinPortal>
      <Popover.Target>
        <UnstyledButton className={styles.figure} title={about}>
          <Text span size="sm" fw={isBest ? 700 : 500} className={styles.value}>
            {formatNumber(value)}
          </Text>
          <Spread score={score} />{" "}
          {isBest && (
            <IconStarFilled
              size={11}
              role="img"
              aria-label={t("best")}
              style={{ color: "var(--sf-running)" }}
            />
          )}
        </UnstyledButton>
      </Popover.Target>
      <Text size="xs" c="dimmed" component="div">
        {score.runs ? t("runs", { count: score.runs.jobs.length }) : null}
        {score.runs && typeof score.items === "number" && " · "}
        {typeof score.items === "number" && t("items", { shown: score.items.toLocaleString() })}
      </Text>
      <Seen score={score} />
      <Popover.Dropdown aria-label={about} mah="70vh" style={{ overflowY: "auto" }}>
        <About score={score} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Spread({ score }: { score: Score }) {
  const error = errorOf(score);
  if (error === null) return null;
  return (
    <Text span size="xs" c="dimmed">
      {" "}
      ± {formatNumber(error, 2)}
    </Text>
  );
}

function Seen({ score }: { score: Score }) {
  const { t } = useTranslation("board");
  const seen = seenOf(score);
  if (seen === null) return null;
  if (seen !== "seen" || !score.contamination) {
    return (
      <Text size="xs" c="dimmed">
        {t(`seen.${seen === "clean" ? "clean" : "unknown"}`)}
      </Text>
    );
  }
  return (
    <Text size="xs" c="var(--sf-warning)" fw={500} title={t("seenWhy")}>
      <IconAlertTriangle size={12} aria-hidden style={{ verticalAlign: -2 }} />{" "}
      {t("seenShort", { ...score.contamination })}
    </Text>
  );
}

/** Where a score comes from, and how it was taken. */
function About({ score }: { score: Score }) {
  const { t } = useTranslation("board");
  const settings = Object.entries(score.settings ?? {}).filter(([, value]) => value !== null);
  const spread = score.runs ? t("about.spread") : t("about.error");
  return (
    <Table fz="xs" verticalSpacing={3} horizontalSpacing={6} layout="fixed">
      <Table.Tbody>
        <Fact name={score.metric}>
          {formatNumber(figureOf(score))}
          <Spread score={score} />
          <Text size="xs" c="dimmed">
            {figureOf(score) === null ? t("about.none") : errorOf(score) !== null && spread}
          </Text>
        </Fact>
        <Fact name={t("about.measured")}>
          <TimeAgo at={score.created_at} size="xs" />
        </Fact>
        {score.runs ? (
          <Fact name={t("about.runs")}>
            {score.runs.jobs.map((job, at) => (
              <div key={job}>
                <JobLink job={job}>{job}</JobLink> {formatNumber(score.runs?.values[at])}
              </div>
            ))}
          </Fact>
        ) : (
          score.job && (
            <Fact name={t("about.job")}>
              <JobLink job={score.job}>{score.job}</JobLink>
            </Fact>
          )
        )}
        {score.job && (
          <Fact name={t("about.samples")}>
            <Link
              to="/jobs/$job/$tab"
              params={{ job: score.job, tab: "samples" }}
              search={{}}
              style={{ color: "var(--sf-running)" }}
            >
              {score.items ?? "…"}
            </Link>
          </Fact>
        )}
        <Training score={score} />
        {settings.map(([key, value]) => (
          <Fact key={key} name={key}>
            <Setting value={value} />
          </Fact>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** A setting's value; of one with parts each on a line. */
function Setting({ value }: { value: unknown }) {
  if (!isObject(value)) return <span className="sf-mono">{settingText(value)}</span>;
  return Object.entries(value).map(([key, one]) => (
    <div key={key} className="sf-mono">
      {key}: {settingText(one)}
    </div>
  ));
}

function Training({ score }: { score: Score }) {
  const { t } = useTranslation("board");
  const seen = seenOf(score);
  if (seen === null) return null;
  const found = score.contamination;
  return (
    <Fact name={t("about.training")}>
      {seen === "seen" && found ? t("seenSome", { ...found }) : t(`seen.${seen as "clean"}`)}
      {seen === "seen" && <Text size="xs">{t("seenWhy")}</Text>}
      {seen === "unknown" && score.job && (
        <>
          <Text size="xs">{t("seenHow")}</Text>
          <CommandBlock text={commandLine(["sf", "bench", "contamination", score.job])} />
        </>
      )}
    </Fact>
  );
}

function JobLink({ job, children }: { job: string; children: string }) {
  return (
    <Link
      to="/jobs/$job"
      params={{ job }}
      search={{}}
      className="sf-mono"
      style={{ color: "var(--sf-running)" }}
    >
      {children}
    </Link>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr style={{ verticalAlign: "top" }}>
      <Table.Th w={116} fw={500}>
        <KeyText>{name}</KeyText>
      </Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}
