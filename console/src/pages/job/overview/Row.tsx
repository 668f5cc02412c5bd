import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** A fact with its name before it. */
export function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap">
      <Text size="sm" c="dimmed" w={110} style={{ flex: "none" }}>
        {label}
      </Text>
      <Text size="sm" component="div" miw={0}>
        {children}
      </Text>
    </Group>
  );
}
