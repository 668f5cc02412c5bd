import { Box, Group, Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CommandBlock } from "@/ui/CommandBlock";
import { Section } from "@/ui/Section";
import { changedRows } from "../../job/config/configRows";
import { valueText } from "../../method/parameters";
import { commandLine, type Plan } from "../form/plan";
import { useForm } from "../form/useForm";

/** Exactly what would run, and where its config differs from the framework's defaults. */
export function PlanView() {
  const { t } = useTranslation("newJob");
  const { checked } = useForm();
  const plan = checked?.planned.plan as unknown as Plan | null | undefined;
  if (!plan) return null;
  const { cpus, gpus } = plan.resources;
  const slots = [
    t("job:overview.cpus", { count: cpus }),
    ...(gpus ? [t("job:overview.gpus", { count: gpus })] : []),
  ];
  const facts: [string, string][] = [
    [t("plan.needs"), slots.join(" · ")],
    ...(plan.runtime
      ? [[t("plan.runtime"), `${plan.runtime.name} (${plan.runtime.device})`] as [string, string]]
      : []),
    ...(plan.total_steps ? [[t("plan.steps"), String(plan.total_steps)] as [string, string]] : []),
    ...plan.inputs.map((one): [string, string] => [
      t(`plan.inputs.${one.name.replace("data.", "")}`, { defaultValue: one.name }),
      one.rows ? t("data.rows", { count: one.rows }) : one.location,
    ]),
  ];
  return (
    <Section title={t("plan.title")} count={(checked?.planned.plan_digest ?? "").slice(0, 12)}>
      <Stack gap="sm">
        <Group gap="lg" style={{ rowGap: 4 }}>
          {facts.map(([name, value]) => (
            <Text key={name} size="xs" c="dimmed">
              {name}{" "}
              <Text span inherit c="var(--mantine-color-text)">
                {value}
              </Text>
            </Text>
          ))}
        </Group>
        {plan.processes.map((one, index) => (
          <Box key={`${one.role} ${String(index)}`}>
            <Text size="xs" c="dimmed" mb={2}>
              {one.count > 1 ? `${one.role} × ${one.count}` : one.role}
            </Text>
            <CommandBlock text={commandLine(one.argv)} />
          </Box>
        ))}
        <Differences plan={plan} />
      </Stack>
    </Section>
  );
}

function Differences({ plan }: { plan: Plan }) {
  const { t } = useTranslation("newJob");
  const rows = changedRows(plan);
  if (rows.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        {t("plan.same")}
      </Text>
    );
  }
  return (
    <Box style={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label={t("plan.differs")}>
      <Text size="xs" fw={500} mb={2}>
        {t("plan.differs")}
      </Text>
      <Table fz="xs" miw={560}>
        <Table.Thead>
          <Table.Tr>
            {(["key", "value", "default", "source"] as const).map((name) => (
              <Table.Th key={name}>{t(`plan.${name}`)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Td className="sf-mono">{row.key}</Table.Td>
              <Table.Td className="sf-mono">{valueText(row.value)}</Table.Td>
              <Table.Td className="sf-mono" c="dimmed">
                {valueText(row.default)}
              </Table.Td>
              <Table.Td c="dimmed">
                {t(`job:config.sources.${row.source}`, { defaultValue: row.source ?? "" })}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
