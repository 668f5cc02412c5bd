import { Code, Popover, Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import { CommandBlock } from "@/ui/CommandBlock";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { explanationQuery } from "../form/calls";

/** A finding's code, which opens why it is one, with a bad and a good example. */
export function Explain({ code }: { code: string }) {
  const { t } = useTranslation("newJob");
  const [open, setOpen] = useState(false);
  return (
    <Popover
      position="bottom-start"
      shadow="md"
      width={420}
      withArrow
      opened={open}
      onChange={setOpen}
      trapFocus
    >
      <Popover.Target>
        <UnstyledButton
          aria-label={t("findings.explain", { code })}
          onClick={() => setOpen((old) => !old)}
        >
          <Code fz={11}>{code}</Code>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>{open && <Explained code={code} />}</Popover.Dropdown>
    </Popover>
  );
}

function Explained({ code }: { code: string }) {
  const { t } = useTranslation("newJob");
  const { data, error } = useQuery(explanationQuery(code));
  // Refusals that no check makes have a code, too, but nothing more to say.
  if (error instanceof ApiError && error.status === 404) {
    return <Text size="xs">{t("findings.noMore")}</Text>;
  }
  if (error) return <Problem error={error} />;
  if (!data) return <Loading lines={3} />;
  return (
    <Stack gap={6}>
      <Text size="xs" fw={600}>
        {data.title}
      </Text>
      <Text size="xs" style={{ whiteSpace: "pre-wrap" }}>
        {data.why}
      </Text>
      <Example label={t("findings.bad")} text={data.bad} />
      <Example label={t("findings.good")} text={data.good} />
      <CommandBlock text={`sf explain ${code}`} />
    </Stack>
  );
}

function Example({ label, text }: { label: string; text: string }) {
  if (!text.trim()) return null;
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Code block fz={11} mah={160} style={{ overflow: "auto" }} tabIndex={0}>
        {text.trimEnd()}
      </Code>
    </div>
  );
}
