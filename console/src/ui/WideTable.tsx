import { Table } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  /** Width in px below which the table scrolls rather than shrinks. */
  minWidth: number;
  children: ReactNode;
}

/** A table that scrolls sideways where it is too wide for its place; the keyboard reaches it. */
export function WideTable({ minWidth, children }: Props) {
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      scrollAreaProps={{ offsetScrollbars: "present", viewportProps: { tabIndex: 0 } }}
    >
      {children}
    </Table.ScrollContainer>
  );
}
