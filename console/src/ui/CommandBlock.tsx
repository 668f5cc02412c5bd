import { Box, Group } from "@mantine/core";
import { CopyButton } from "./CopyButton";

/** A command (or several lines of them) to copy into a terminal. */
export function CommandBlock({ text }: { text: string }) {
  return (
    <Group
      className="sf-panel"
      justify="space-between"
      align="flex-start"
      wrap="nowrap"
      gap="xs"
      px="sm"
      py={6}
      maw="100%"
      bg="var(--sf-panel)"
    >
      <Box
        component="pre"
        className="sf-mono"
        ta="left"
        m={0}
        miw={0}
        tabIndex={0}
        style={{ overflowX: "auto" }}
      >
        {text}
      </Box>
      <CopyButton text={text} />
    </Group>
  );
}
