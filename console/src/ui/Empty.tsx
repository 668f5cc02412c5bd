import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { CommandBlock } from "./CommandBlock";

interface Props {
  title: string;
  text?: string;
  /** The command that would fill this place. */
  command?: string;
  children?: ReactNode;
}

/** Nothing here yet, and what to do next. */
export function Empty({ title, text, command, children }: Props) {
  return (
    <Stack align="center" gap="sm" py={48} px="md" ta="center">
      <Title order={2}>{title}</Title>
      {text && (
        <Text c="dimmed" size="sm" maw={520}>
          {text}
        </Text>
      )}
      {command && <CommandBlock text={command} />}
      {children}
    </Stack>
  );
}
