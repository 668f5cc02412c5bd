import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { KeyText } from "@/ui/KeyText";
import classes from "./method.module.css";

interface Props {
  id?: string;
  marked?: boolean;
  /** What it is called. */
  name: ReactNode;
  /** Below the name: what upstream calls it. */
  native?: string | false | null;
  children: ReactNode;
}

/** One row of a list: a name with what upstream calls it, and what there is to say of it. */
export function Row({ id, marked = false, name, native, children }: Props) {
  return (
    <div className={classes.row} id={id} data-marked={marked || undefined}>
      <div>
        {name}
        {native && (
          <Text component="div" size="xs" c="dimmed" className="sf-mono">
            <KeyText>{native}</KeyText>
          </Text>
        )}
      </div>
      <div>{children}</div>
    </div>
  );
}
