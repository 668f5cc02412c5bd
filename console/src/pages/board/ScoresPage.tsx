import { ActionIcon, Anchor, Group, Select, Stack, Text, Tooltip } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { CommandBlock } from "@/ui/CommandBlock";
import { Empty } from "@/ui/Empty";
import { Page } from "@/ui/Page";
import { commandLine } from "../new/form/plan";
import { labelsOf } from "./board";
import { Comparisons } from "./Comparisons";
import { parseWanted, type Wanted, wantedSearch } from "./compared";
import { boardQuery } from "./queries";

/** Two models benchmark by benchmark, item by item. */
export function ScoresPage() {
  const { t } = useTranslation("board");
  const search: Record<string, string> = useSearch({ strict: false });
  const wanted = useMemo(() => parseWanted(search), [search]);
  const navigate = useNavigate();
  const change = useCallback(
    (next: Partial<Wanted>) =>
      void navigate({
        to: "/board/compare",
        search: wantedSearch({ ...wanted, page: 1, ...next }),
        replace: true,
      }),
    [navigate, wanted],
  );
  const both = wanted.a !== "" && wanted.b !== "";
  return (
    <Page
      title={t("compare.title")}
      heading={
        <>
          <Link to="/board" search={wantedBoard(wanted)} style={{ textDecoration: "none" }}>
            <Text span inherit c="dimmed">
              {t("compare.back")}
            </Text>
          </Link>{" "}
          / {t("compare.title")}
        </>
      }
    >
      <Sides wanted={wanted} onChange={change} />
      {both ? (
        <>
          <Comparisons wanted={wanted} onChange={change} />
          <Stack maw={640}>
            <CommandBlock text={commandLine(argvOf(wanted))} />
          </Stack>
        </>
      ) : (
        <Empty title={t("compare.chooseTitle")} text={t("compare.chooseText")}>
          <Link to="/board" search={wantedBoard(wanted)}>
            <Anchor component="span" size="sm">
              {t("compare.board")}
            </Anchor>
          </Link>
        </Empty>
      )}
    </Page>
  );
}

function wantedBoard({ a, b }: Wanted): Record<string, string> {
  return Object.fromEntries(Object.entries({ a, b }).filter(([, value]) => value !== ""));
}

function argvOf({ a, b, pack, pair, anyway }: Wanted): string[] {
  const more = [...(pack ? ["--pack", pack] : []), ...(anyway ? ["--anyway"] : [])];
  return ["sf", "bench", "compare", ...(pair ?? [a, b]), ...more, "-n", "5"];
}

interface SidesProps {
  wanted: Wanted;
  onChange: (next: Partial<Wanted>) => void;
}

/** Which two: the models of the board, or whatever the address names. */
function Sides({ wanted, onChange }: SidesProps) {
  const { t } = useTranslation("board");
  const { a, b } = wanted;
  const scores = useQuery(boardQuery).data ?? [];
  const models = [...new Set([...scores.map((one) => one.model), a, b].filter(Boolean))];
  const labels = labelsOf(models, scores);
  const data = models
    .map((model) => ({ value: model, label: labels.get(model) ?? model }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
  const side = (name: "a" | "b") => (
    <Select
      searchable
      w={{ base: "100%", sm: 300 }}
      aria-label={t(`compare.${name}`)}
      placeholder={t(`compare.${name}`)}
      leftSection={<b aria-hidden>{name.toUpperCase()}</b>}
      allowDeselect={false}
      value={wanted[name] || null}
      title={wanted[name]}
      data={data.filter((one) => one.value !== wanted[name === "a" ? "b" : "a"])}
      onChange={(model) => onChange({ [name]: model ?? "", pair: null })}
    />
  );
  return (
    <Group gap="xs">
      {side("a")}
      <Tooltip label={t("bar.swap")}>
        <ActionIcon aria-label={t("bar.swap")} onClick={() => onChange({ a: b, b: a, pair: null })}>
          <IconArrowsExchange size={16} />
        </ActionIcon>
      </Tooltip>
      {side("b")}
    </Group>
  );
}
