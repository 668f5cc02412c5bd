import { Accordion, Box, Button, Group, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Section } from "@/ui/Section";
import { fieldId } from "../form/fields";
import {
  changedPolicies,
  GROUPS,
  NEAR,
  POLICIES,
  type Policy,
  type PolicyGroup,
  unknownPolicies,
  withPolicy,
} from "../form/policies";
import { useForm } from "../form/useForm";
import { FieldFindings } from "./Findings";
import { GroupTitle } from "./GroupTitle";
import { PolicyField } from "./PolicyField";
import classes from "./setting.module.css";

const near = POLICIES.filter((one) => NEAR.includes(one.name));
const groups = GROUPS.map((group) => ({
  group,
  members: POLICIES.filter((one) => one.group === group && !near.includes(one)),
}));

/** `policies`: when the job is ended without being asked, warned of, and tried again. */
export function Policies() {
  const { t } = useTranslation("newJob");
  const { draft, wanted } = useForm();
  const [open, setOpen] = useState<string[]>([]);

  // A finding leads to a policy that may be out of sight.
  useEffect(() => {
    const found = POLICIES.find((one) => wanted === `policies.${one.name}`);
    if (found) setOpen((old) => [...new Set([...old, found.group])]);
  }, [wanted]);

  const changed = changedPolicies(draft.policies, POLICIES).length;
  return (
    <Section
      title={t("policies.title")}
      count={t("policies.changed", { count: changed, all: POLICIES.length })}
    >
      <Box id={fieldId("policies")}>
        <FieldFindings field="policies" />
      </Box>
      <Fields members={near} />
      {unknownPolicies(draft.policies).map((name) => (
        <Unknown key={name} name={name} />
      ))}
      <Accordion
        multiple
        value={open}
        onChange={setOpen}
        mt="xs"
        chevronPosition="left"
        chevronSize={14}
        classNames={{ label: classes.label, content: classes.content }}
      >
        {groups.map(({ group, members }) => (
          <Accordion.Item key={group} value={group}>
            <Accordion.Control px={4}>
              <PolicyGroupTitle group={group} members={members} />
            </Accordion.Control>
            <Accordion.Panel>
              {open.includes(group) && <Fields members={members} />}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Section>
  );
}

function Fields({ members }: { members: readonly Policy[] }) {
  return (
    <div>
      {members.map((one) => (
        <PolicyField key={one.name} policy={one} />
      ))}
    </div>
  );
}

function PolicyGroupTitle({ group, members }: { group: PolicyGroup; members: readonly Policy[] }) {
  const { t } = useTranslation("newJob");
  const { draft, found } = useForm();
  const wrong = members.some((one) =>
    found.get(`policies.${one.name}`)?.some((finding) => finding.severity === "error"),
  );
  return (
    <GroupTitle
      label={t(`policies.groups.${group}`)}
      members={members.length}
      changed={changedPolicies(draft.policies, members).length}
      wrong={wrong}
    />
  );
}

/** What another version wrote and this one does not know: to see, and to take away. */
function Unknown({ name }: { name: string }) {
  const { t } = useTranslation("newJob");
  const { draft, set } = useForm();
  return (
    <Group gap="sm" px={10} py={6}>
      <Text size="xs" fw={600} className="sf-mono">
        {name}
      </Text>
      <Button
        variant="default"
        size="compact-xs"
        onClick={() => set({ policies: withPolicy(draft.policies, name, undefined) })}
      >
        {t("params.remove")}
      </Button>
    </Group>
  );
}
