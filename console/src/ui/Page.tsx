import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

interface Props {
  title: string;
  /** Instead of the title in the heading, when it needs more than text. */
  heading?: ReactNode;
  /** Instead of the heading, where more stands around it: it has the `<h1>` in it. */
  top?: ReactNode;
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** Fill the window's height, for pages that scroll inside. */
  full?: boolean;
  children: ReactNode;
}

/** A page: heading, actions, content. Sets the window's title. */
export function Page({ title, heading, top, subtitle, actions, full = false, children }: Props) {
  useDocumentTitle(`${title} · StarForge`);
  return (
    <Stack gap="md" px={{ base: "sm", sm: "lg" }} py="md" h={full ? "100%" : undefined} miw={0}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box miw={0} style={{ flex: "1 1 200px" }}>
          {top ?? <Title order={1}>{heading ?? title}</Title>}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {subtitle && (
        <Text component="div" size="sm" c="dimmed" mt={-12} maw={900}>
          {subtitle}
        </Text>
      )}
      {children}
    </Stack>
  );
}
