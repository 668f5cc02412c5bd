import { Fragment } from "react";

/** A long key that breaks after dots, slashes and underscores rather than anywhere. */
export function KeyText({ children }: { children: string }) {
  return children.split(/(?<=[._/])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
