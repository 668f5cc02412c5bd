import { Box, Text } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { levelOf, pieces, plain } from "./logModel";

export interface Row {
  line: number;
  text: string | null;
  cut: number;
}

interface Props {
  /** How many rows there are, and the one at a place (text null: not here yet). */
  count: number;
  row: (index: number) => Row;
  marked: number | null;
  follow: boolean;
  /** The place to bring into view once. */
  goTo: number | null;
  onRange: (first: number, last: number) => void;
  onScrolledAway: () => void;
  onMark: (line: number) => void;
  box: RefObject<HTMLDivElement | null>;
}

const ROW = 19; // px of a line that is not wrapped

/** Lines of a log, only those in view. Long lines wrap, so every row is measured. */
export function LogLines(props: Props) {
  const { t } = useTranslation("logs");
  const { box } = props;
  const rows = useVirtualizer({
    count: props.count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 30,
  });
  const items = rows.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const { onRange } = props;
  useEffect(() => onRange(first, last), [first, last, onRange]);
  useLayoutEffect(() => {
    if (props.follow && props.count > 0) rows.scrollToIndex(props.count - 1, { align: "end" });
  }, [props.follow, props.count, rows]);
  const went = useRef<number | null>(null);
  useEffect(() => {
    if (props.goTo === null || props.count === 0 || went.current === props.goTo) return;
    went.current = props.goTo;
    rows.scrollToIndex(props.goTo, { align: "center" });
  }, [props.goTo, props.count, rows]);

  return (
    <Box
      ref={box}
      className="sf-panel sf-mono"
      role="log"
      aria-label={t("lines")}
      aria-live="off"
      tabIndex={0}
      style={{ overflow: "auto", height: "min(72vh, 900px)", minHeight: 260 }}
      onWheel={(event) => event.deltaY < 0 && props.onScrolledAway()}
      onTouchMove={props.onScrolledAway}
      onKeyDown={(event) => {
        if (["PageUp", "ArrowUp", "Home"].includes(event.key)) props.onScrolledAway();
      }}
    >
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {items.map((item) => {
          const row = props.row(item.index);
          return (
            <div
              key={item.key}
              data-index={item.index}
              ref={rows.measureElement}
              style={{
                position: "absolute",
                top: 0,
                width: "100%",
                transform: `translateY(${item.start}px)`,
              }}
            >
              <LogRow {...row} marked={row.line === props.marked} onMark={props.onMark} />
            </div>
          );
        })}
      </div>
    </Box>
  );
}

interface RowProps extends Row {
  marked: boolean;
  onMark: (line: number) => void;
}

const LogRow = memo(function LogRow({ line, text, cut, marked, onMark }: RowProps) {
  const { t } = useTranslation("logs");
  const level = text === null ? "info" : levelOf(plain(text));
  return (
    <div className="sf-log-row" data-marked={marked} data-level={level}>
      <button
        type="button"
        className="sf-log-number"
        aria-label={t("linkTo", { line: line + 1 })}
        onClick={() => onMark(line)}
      >
        {line + 1}
      </button>
      <span className="sf-log-text">
        {text === null ? "…" : <Colored text={text} />}
        {cut > 0 && (
          <Text span size="xs" c="dimmed">
            {" "}
            {t("cut", { bytes: cut.toLocaleString() })}
          </Text>
        )}
      </span>
    </div>
  );
});

function Colored({ text }: { text: string }) {
  const [made] = useState(() => ({ text, parts: pieces(text) }));
  const parts = made.text === text ? made.parts : pieces(text);
  return parts.map((piece, at) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one line never move
      key={at}
      className={[
        piece.color ? `ansi-${piece.color}` : "",
        piece.bold ? "ansi-bold" : "",
        piece.faint ? "ansi-faint" : "",
      ]
        .join(" ")
        .trim()}
    >
      {piece.text}
    </span>
  ));
}
