import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import { CodeText } from "./CodeText";

interface Props {
  error: unknown;
  title?: string;
  onRetry?: () => void;
}

/** An error in place: what happened, what to do about it, and a way to try again. */
export function Problem({ error, title, onRetry }: Props) {
  const { t } = useTranslation();
  const network = error instanceof ApiError && error.status === 0;
  const message = network
    ? t("errors.network")
    : error instanceof Error
      ? error.message
      : String(error);
  const hint = network ? t("errors.networkHint") : error instanceof ApiError ? error.hint : null;
  const findings = error instanceof ApiError ? error.findings : [];
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} title={title ?? t("errors.title")}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" style={{ whiteSpace: "pre-line" }}>
          <CodeText>{message}</CodeText>
        </Text>
        {hint && (
          <Text size="sm" c="dimmed">
            <CodeText>{hint}</CodeText>
          </Text>
        )}
        {findings.length > 0 && (
          <List size="sm">
            {findings.map((one) => (
              <List.Item key={`${one.code} ${one.key} ${one.line} ${one.message}`}>
                <CodeText>{one.message}</CodeText>
              </List.Item>
            ))}
          </List>
        )}
        {onRetry && (
          <Group>
            <Button variant="default" onClick={onRetry}>
              {t("actions.retry")}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
