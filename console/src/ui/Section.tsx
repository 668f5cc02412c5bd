import { Box, Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  /** What an address can point to. */
  id?: string;
  title: string;
  /** How much there is, beside the title. */
  count?: ReactNode;
  actions?: ReactNode;
  /** Without the box around it, for what brings its own. */
  bare?: boolean;
  children: ReactNode;
}

/** A titled part of a page. */
export function Section({ id, title, count, actions, bare = false, children }: Props) {
  return (
    <Box
      component="section"
      id={id}
      aria-label={title}
      className={bare ? undefined : "sf-panel"}
      p={bare ? 0 : "sm"}
      miw={0}
      style={{ scrollMarginTop: 56 }}
    >
      <Group justify="space-between" gap="xs" mb={8}>
        <Group gap={8} align="baseline">
          <Title order={2} size="h3">
            {title}
          </Title>
          {count !== undefined && (
            <Text size="xs" c="dimmed">
              {count}
            </Text>
          )}
        </Group>
        {actions}
      </Group>
      {children}
    </Box>
  );
}
