import { Anchor, Badge, Box, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import type { Method } from "./filter";
import { PlaceBadge } from "./PlaceBadge";

interface Props {
  method: Method;
  first: boolean;
  marked: boolean;
}

/** One method: its name, one sentence, version, and where it runs. */
export function MethodRow({ method, first, marked }: Props) {
  const { t } = useTranslation("methods");
  return (
    <Box
      id={`method-${method.name}`}
      px="sm"
      py={8}
      bg={marked ? "var(--sf-panel)" : undefined}
      style={{
        borderTop: first ? undefined : "1px solid var(--sf-border)",
        boxShadow: marked ? "inset 2px 0 0 var(--mantine-primary-color-filled)" : undefined,
        borderRadius: first ? "8px 8px 0 0" : undefined,
      }}
    >
      <Group justify="space-between" gap="xs">
        <Group gap={8}>
          <MethodLink name={method.name} />
          {method.source !== "bundled" && (
            <Badge variant="default" size="sm" tt="none" fw={500}>
              {t("own")}
            </Badge>
          )}
        </Group>
        <Group gap={8}>
          <Text size="xs" c="dimmed">
            {method.framework} {method.version}
          </Text>
          <PlaceBadge place={method.place} />
        </Group>
      </Group>
      <Text size="sm" mt={2}>
        {both(method.summary)}
      </Text>
    </Box>
  );
}

/** A method's name as the way to its page. */
export function MethodLink({ name }: { name: string }) {
  const [framework = "", method = ""] = name.split("/");
  return (
    <Link
      to="/methods/$framework/$name"
      params={{ framework, name: method }}
      search={{}}
      className="sf-link"
    >
      <Anchor component="span" fw={600} className="sf-mono">
        {name}
      </Anchor>
    </Link>
  );
}
