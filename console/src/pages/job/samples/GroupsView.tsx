import { Box, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format/number";
import { LongText, SampleCard } from "./SampleCard";
import { groups, type Sample } from "./sampleModel";

/** All completions of a prompt together, with the spread of their rewards. */
export function GroupsView({ samples, total }: { samples: Sample[]; total: number }) {
  const { t } = useTranslation("samples");
  const made = useMemo(() => groups(samples), [samples]);
  return (
    <Stack gap="md">
      {made.map((group) => (
        <Box key={group.key} component="section" className="sf-panel" p="sm" bg="var(--sf-panel)">
          <Group justify="space-between" mb={4}>
            <Text size="xs" c="dimmed">
              {[
                group.step !== null && t("step", { step: group.step }),
                t("completions", { count: group.samples.length }),
              ]
                .filter(Boolean)
                .join(" · ")}
            </Text>
            {group.mean !== null && (
              <Text size="xs" c={group.deviation === 0 ? "var(--sf-warning)" : "dimmed"}>
                {t("spread", {
                  mean: formatNumber(group.mean),
                  deviation: formatNumber(group.deviation),
                })}
                {group.deviation === 0 && group.samples.length > 1 && ` · ${t("noSignal")}`}
              </Text>
            )}
          </Group>
          <LongText text={group.prompt} label={t("prompt")} />
          <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="sm" mt="sm">
            {group.samples.map((sample, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: samples have no name
              <SampleCard key={at} sample={sample} withPrompt={false} />
            ))}
          </SimpleGrid>
        </Box>
      ))}
      {total > samples.length && (
        <Text size="xs" c="dimmed">
          {t("firstOnly", { shown: samples.length, total: total.toLocaleString() })}
        </Text>
      )}
    </Stack>
  );
}
