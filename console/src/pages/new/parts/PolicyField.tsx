import { ActionIcon, Box, Group, Switch, TagsInput, Text, TextInput, Tooltip } from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { CodeText } from "@/ui/CodeText";
import { fieldId } from "../form/fields";
import {
  changedPolicies,
  type Policy,
  policyNames,
  policyText,
  withPolicy,
} from "../form/policies";
import { useForm } from "../form/useForm";
import { FieldFindings, useInvalid } from "./Findings";
import classes from "./setting.module.css";

/** One policy: what it is for, its field with the default in place, its unit. */
export function PolicyField({ policy }: { policy: Policy }) {
  const { t } = useTranslation("newJob");
  const { draft, set } = useForm();
  const field = `policies.${policy.name}`;
  const texts = `policies.one.${policy.name}`;
  const title = t(`${texts}.title`);
  const usual = t(`${texts}.usual`);
  const written = policy.name in draft.policies;
  const changed = changedPolicies(draft.policies, [policy]).length > 0;
  const change = (value: unknown) =>
    set({ policies: withPolicy(draft.policies, policy.name, value) });
  const facts = [
    policy.name,
    changed && t("policies.default", { value: usual }),
    t(`${texts}.unit`, { defaultValue: t(`policies.units.${policy.kind}`) }),
  ].filter(Boolean);
  return (
    <Box id={fieldId(field)} className={classes.row} data-changed={changed}>
      <Box miw={0}>
        <Text size="xs" fw={600} component="label" htmlFor={`${field}-input`}>
          {title}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={3}>
          <CodeText>{t(`${texts}.text`)}</CodeText>
        </Text>
      </Box>
      <Box miw={0}>
        <Group gap={4} wrap="nowrap" align="flex-start">
          <Control {...{ policy, usual, change }} id={`${field}-input`} />
          <Tooltip label={t("policies.reset", { value: usual })}>
            <ActionIcon
              size={30}
              aria-label={t("policies.resetOne", { name: title })}
              style={{ visibility: written ? "visible" : "hidden" }}
              onClick={() => change(undefined)}
            >
              <IconArrowBackUp size={14} />
            </ActionIcon>
          </Tooltip>
        </Group>
        <Text size="xs" c="dimmed" mt={1}>
          {facts.join(" · ")}
        </Text>
        <FieldFindings field={field} />
      </Box>
    </Box>
  );
}

interface ControlProps {
  policy: Policy;
  id: string;
  usual: string;
  change: (value: unknown) => void;
}

function Control({ policy, id, usual, change }: ControlProps) {
  const { draft, recipe } = useForm();
  const invalid = useInvalid(`policies.${policy.name}`);
  const value = draft.policies[policy.name];
  const common = { id, size: "xs", style: { flex: 1, minWidth: 0 } };
  if (policy.kind === "switch") {
    const on = value === undefined ? policy.usual === true : value !== false;
    return (
      <Switch
        {...common}
        py={6}
        checked={on}
        onChange={(event) => {
          const next = event.currentTarget.checked;
          change(next === policy.usual ? undefined : next);
        }}
      />
    );
  }
  if (policy.kind === "names") {
    const names = policyNames(value);
    return (
      <TagsInput
        {...common}
        placeholder={names.length > 0 ? "" : usual}
        data={recipe.metrics.map((one) => one.name)}
        value={names}
        error={invalid}
        onChange={change}
      />
    );
  }
  return (
    <TextInput
      {...common}
      spellCheck={false}
      placeholder={usual}
      value={policyText(value)}
      error={invalid}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
