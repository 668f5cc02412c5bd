import { Group, Paper } from "@mantine/core";
import type { ReactNode } from "react";

/** A bar above the bottom of the window: what can be done with what was chosen. */
export function FloatingBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Paper
      component="section"
      aria-label={label}
      shadow="md"
      withBorder
      p="xs"
      pos="fixed"
      bottom={14}
      left="50%"
      style={{ transform: "translateX(-50%)", zIndex: 50, width: "max-content", maxWidth: "96vw" }}
    >
      <Group gap="xs" justify="center">
        {children}
      </Group>
    </Paper>
  );
}
