import { Checkbox, Group, Text, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useKeys } from "@/app/keys";
import { useRows } from "@/app/rows";
import { KeyText } from "@/ui/KeyText";
import { comparisonSearch, jobOf, kindOf, nextSort, type Table, type View } from "./board";
import styles from "./board.module.css";
import { briefly, type Column, settingText } from "./columns";
import { ScoreCell } from "./ScoreCell";

interface Props {
  table: Table;
  view: View;
  onSort: (sort: string) => void;
  onChoose: (model: string) => void;
}

/** Models by benchmarks. */
export function BoardTable({ table, view, onSort, onChoose }: Props) {
  const { t } = useTranslation("board");
  const { columns, models, labels } = table;
  const navigate = useNavigate();
  const open = (model: string) => {
    const job = jobOf(model) ?? columns.map((one) => one.cells.get(model)?.job).find(Boolean);
    if (view.chosen.length === 2) {
      void navigate({ to: "/board/compare", search: comparisonSearch(columns, view) });
    } else if (job) void navigate({ to: "/jobs/$job", params: { job }, search: {} });
  };
  const marked = useRows(models, open);
  useKeys({ x: () => marked !== undefined && onChoose(marked) });
  return (
    <section className={`sf-panel ${styles.scroller}`} tabIndex={0} aria-label={t("title")}>
      <table className={styles.table}>
        <thead>
          <tr>
            <SortHeading className={styles.name} id="model" sort={view.sort} onSort={onSort}>
              {t("model")}
            </SortHeading>
            {columns.map((column) => (
              <ColumnHeading key={column.key} column={column} sort={view.sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <tr
              key={model}
              id={`row-${model}`}
              data-chosen={view.chosen.includes(model)}
              data-cursor={model === marked}
            >
              <th scope="row" className={styles.name}>
                <ModelName
                  model={model}
                  label={labels.get(model) ?? model}
                  letter={"AB"[view.chosen.indexOf(model)]}
                  onChoose={onChoose}
                />
              </th>
              {columns.map((column) => (
                <td key={column.key}>
                  <ScoreCell
                    column={column}
                    score={column.cells.get(model)}
                    label={labels.get(model) ?? model}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface NameProps {
  model: string;
  label: string;
  /** The side it is chosen for. */
  letter: string | undefined;
  onChoose: (model: string) => void;
}

function ModelName({ model, label, letter, onChoose }: NameProps) {
  const { t } = useTranslation("board");
  const job = jobOf(model);
  return (
    <Group gap={8} wrap="nowrap" align="flex-start">
      <Checkbox
        size="xs"
        mt={2}
        aria-label={t("choose", { model: label })}
        checked={letter !== undefined}
        onChange={() => onChoose(model)}
      />
      <div style={{ minWidth: 0 }} title={model}>
        {job ? (
          <Link to="/jobs/$job" params={{ job }} search={{}} className="sf-link">
            <KeyText>{label}</KeyText>
          </Link>
        ) : (
          <KeyText>{label}</KeyText>
        )}
        <Text size="xs" c="dimmed">
          {letter && <b>{letter} · </b>}
          {t(`kinds.${kindOf(model)}`)}
        </Text>
      </div>
    </Group>
  );
}

interface HeadingProps {
  id: string;
  sort: string;
  onSort: (sort: string) => void;
  children: string;
  className?: string | undefined;
  more?: React.ReactNode;
  up?: boolean;
}

/** A heading that sorts; `up`: the best is the lowest. */
function SortHeading({ id, sort, onSort, children, className, more, up = false }: HeadingProps) {
  const { t } = useTranslation("board");
  const by = sort === id ? 1 : sort === `-${id}` ? -1 : 0;
  const rising = id === "model" || up ? by === 1 : by === -1;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={by === 0 ? "none" : rising ? "ascending" : "descending"}
    >
      <UnstyledButton
        fz="sm"
        fw={600}
        title={t("sortBy", { column: children })}
        onClick={() => onSort(nextSort(sort, id))}
      >
        {children}{" "}
        {by !== 0 &&
          (rising ? (
            <IconArrowUp size={12} aria-hidden />
          ) : (
            <IconArrowDown size={12} aria-hidden />
          ))}
      </UnstyledButton>
      {more}
    </th>
  );
}

function ColumnHeading({
  column,
  sort,
  onSort,
}: {
  column: Column;
  sort: string;
  onSort: (sort: string) => void;
}) {
  const { t } = useTranslation("board");
  const said = column.differs.map(({ key, here, there }) =>
    t("differs", { key, here: settingText(here), there: settingText(there) }),
  );
  const more = (
    <Text size="xs" c="dimmed" component="div">
      <KeyText>{column.measure}</KeyText>
      {typeof column.settings.harness === "string" && <div>{column.settings.harness}</div>}
      {column.number > 1 && (
        <div title={said.join("\n")}>
          {t("other", { number: column.number })}: {briefly(column.differs, t("common:value.none"))}
        </div>
      )}
    </Text>
  );
  return (
    <SortHeading
      id={column.key}
      sort={sort}
      onSort={onSort}
      more={more}
      up={!column.higherIsBetter}
    >
      {column.benchmark}
    </SortHeading>
  );
}
