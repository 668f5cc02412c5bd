import { Box, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { LongText, SampleCard } from "./SampleCard";
import { type SampleSearch, samplesQuery } from "./SamplesTab";
import { pairs, type Sample } from "./sampleModel";

interface Props {
  job: string;
  wanted: SampleSearch;
  steps: number[];
  live: boolean;
}

const MOST = 500;

/** Two steps side by side on the same prompt: what training changed. */
export function PairsView({ job, wanted, steps, live }: Props) {
  const { t } = useTranslation("samples");
  const [low, high] = [Math.min(...steps), Math.max(...steps)];
  const left = wanted.step ?? low;
  const right = wanted.against ?? high;
  const at = (step: number) => ({ ...wanted, step, sort: "-reward" as const, page: 1 });
  const before = useQuery(samplesQuery(job, at(left), live, MOST));
  const after = useQuery(samplesQuery(job, at(right), live, MOST));
  const error = before.error ?? after.error;
  if (error) return <Problem error={error} />;
  if (!before.data || !after.data) return <Loading />;
  const made = pairs(before.data.samples, after.data.samples);
  if (!made.some((pair) => pair.left.length > 0 && pair.right.length > 0)) {
    return (
      <Text c="dimmed" size="sm">
        {t("noPairs", { left, right })}
      </Text>
    );
  }
  return (
    <Stack gap="md">
      {made
        .filter((pair) => pair.left.length > 0 && pair.right.length > 0)
        .map((pair) => (
          <Box
            key={pair.prompt}
            component="section"
            className="sf-panel"
            p="sm"
            bg="var(--sf-panel)"
          >
            <LongText text={pair.prompt} label={t("prompt")} />
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt="sm">
              <Side title={t("step", { step: left })} samples={pair.left} />
              <Side title={t("step", { step: right })} samples={pair.right} />
            </SimpleGrid>
          </Box>
        ))}
    </Stack>
  );
}

function Side({ title, samples }: { title: string; samples: Sample[] }) {
  return (
    <Stack gap="xs">
      <Text size="xs" fw={600}>
        {title}
      </Text>
      {samples.map((sample, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: samples have no name
        <SampleCard key={at} sample={sample} withPrompt={false} />
      ))}
    </Stack>
  );
}
