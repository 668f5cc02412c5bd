import { Box, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** A titled box of the overview. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box component="section" className="sf-panel" p="sm" miw={0}>
      <Title order={2} size="h3" mb={8}>
        {title}
      </Title>
      {children}
    </Box>
  );
}
