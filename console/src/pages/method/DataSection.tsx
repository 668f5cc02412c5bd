import { Code, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Section } from "@/ui/Section";
import type { Recipe } from "./recipe";

/** What rows the method reads, which splits it takes, and one row as it stands in a file. */
export function DataSection({ recipe }: { recipe: Recipe }) {
  const { t } = useTranslation("methods");
  const { shapes, example, ...splits } = recipe.data_spec;
  return (
    <Section id="data" title={t("dataTitle")}>
      <Stack gap={8}>
        <Text size="sm">
          {t(`data.${recipe.data}`, { defaultValue: recipe.data })}
          {shapes.length > 0 && (
            <>
              {" · "}
              {t("columns")}{" "}
              {shapes.map((shape, index) => (
                <span key={shape.join(" ")}>
                  {index > 0 && ` ${t("or")} `}
                  <Code>{shape.join(" + ")}</Code>
                </span>
              ))}
            </>
          )}
        </Text>
        <Group gap="md">
          {(["train", "validation", "test"] as const)
            .filter((split) => splits[split] !== "none")
            .map((split) => (
              <Text key={split} size="xs" c="dimmed">
                <span className="sf-mono">{split}</span> {t(`need.${splits[split]}`)}
              </Text>
            ))}
        </Group>
        {example[0] && (
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              {t("example")}
            </Text>
            <Code block tabIndex={0} style={{ whiteSpace: "pre-wrap" }}>
              {JSON.stringify(example[0], null, 2)}
            </Code>
          </div>
        )}
      </Stack>
    </Section>
  );
}
