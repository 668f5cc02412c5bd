import { Alert, Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ApiError, type Schemas } from "@/api/client";
import { columnsOf, firstRows } from "@/format/rows";
import { CodeText } from "@/ui/CodeText";
import { CommandBlock } from "@/ui/CommandBlock";
import { Empty } from "@/ui/Empty";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { RowsTable } from "@/ui/RowsTable";
import { Section } from "@/ui/Section";
import { headQuery } from "../new/form/calls";
import { newJobSearch } from "./asked";
import { MapEditor } from "./MapEditor";
import { MethodChoices } from "./MethodChoice";
import { suggestQuery } from "./queries";
import { Situation } from "./Situation";
import { useAsked } from "./useAsked";

/** What the server says of the data at hand, as `sf suggest` does, and the way to a job. */
export function Suggestion() {
  const { t } = useTranslation("choose");
  const { asked, set } = useAsked();
  const found = useQuery(suggestQuery(asked));
  const data = found.error ? undefined : found.data;
  const other = { digest: "", file: "", dataset: "", map: "", gpus: "", memory: "", teacher: "" };
  return (
    <Stack gap="lg" aria-busy={found.isFetching}>
      <Group gap="sm">
        <Text size="sm" fw={500} className="sf-mono">
          {asked.dataset ?? asked.file}
        </Text>
        <Button variant="default" onClick={() => set(other, true)}>
          {t("other")}
        </Button>
      </Group>
      {found.error && (
        <>
          <Problem
            error={found.error}
            {...(isRefusal(found.error) ? { title: t("notUnderstood") } : {})}
          />
          <Unread />
        </>
      )}
      {found.isPending && <Loading lines={8} />}
      {data && (
        <>
          <Kind data={data} />
          <Section title={t("rows")} bare>
            <RowsTable rows={data.rows} label={t("rows")} />
          </Section>
          <Section title={t("mapping")} bare>
            <MapEditor map={data.map} columns={data.columns} />
          </Section>
          <Methods data={data} />
        </>
      )}
    </Stack>
  );
}

function Kind({ data }: { data: Schemas["Suggested"] }) {
  const { t } = useTranslation("choose");
  return (
    <div>
      <Title order={2} mb={4}>
        {t(`methods:data.${data.kind}`, { defaultValue: data.kind })}
      </Title>
      {data.why.map((one) => (
        <Text key={one} size="sm">
          <CodeText>{one}</CodeText>
        </Text>
      ))}
      {data.notes.length > 0 && (
        <Alert color="yellow" mt="sm" py={8} title={t("notes")}>
          <List size="sm">
            {data.notes.map((one) => (
              <List.Item key={one}>
                <CodeText>{one}</CodeText>
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </div>
  );
}

/** Whether the server understood what was asked and says no, rather than failed or was away. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

/** Whether the method learns from the teacher that was named; its command says so. */
function taught(one: Schemas["Suggestion"]): boolean {
  return one.command.includes(" --teacher ");
}

function Methods({ data }: { data: Schemas["Suggested"] }) {
  const { t } = useTranslation("choose");
  const { asked } = useAsked();
  const best = data.recommendations;
  const choices = best.map((one) => ({
    ...one,
    search: newJobSearch(one.method, taught(one) ? asked : { ...asked, teacher: "" }, data.map),
  }));
  return (
    <Section title={t("methods")} bare>
      <Stack gap="sm">
        <Situation full />
        {best.length === 0 && <Empty title={t("nothingFits")} text={t("nothingFitsText")} />}
        {best.length > 0 && <MethodChoices choices={choices} />}
        {best[0] && (
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              {t("command")}
            </Text>
            <CommandBlock text={best[0].command} />
          </div>
        )}
      </Stack>
    </Section>
  );
}

/** Where the rows are of no known kind one can say which column is what. */
function Unread() {
  const { t } = useTranslation("choose");
  const { asked } = useAsked();
  const head = useQuery(headQuery(asked.digest));
  const rows = firstRows(head.data ?? "", 3);
  return (
    <>
      {rows.length > 0 && (
        <Section title={t("rowsRaw")} bare>
          <RowsTable rows={rows} label={t("rowsRaw")} />
        </Section>
      )}
      <Section title={t("mapping")} bare>
        <MapEditor map={asked.map} columns={columnsOf(rows)} />
      </Section>
    </>
  );
}
