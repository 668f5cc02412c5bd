import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CodeText } from "@/ui/CodeText";
import { Loading } from "@/ui/Loading";
import { Problem } from "@/ui/Problem";
import { Section } from "@/ui/Section";
import { buildOf, removable, runtimesQuery, tasksQuery } from "./queries";
import { RuntimeRow } from "./RuntimeRow";

/** The pinned environments of the server's machine: what is there, and what could be. */
export function Runtimes() {
  const { t } = useTranslation("settings");
  const runtimes = useQuery(runtimesQuery);
  const tasks = useQuery(tasksQuery).data ?? [];
  return (
    <Section id="runtimes" title={t("runtimes")} bare>
      <Text size="sm" c="dimmed" mb={8}>
        <CodeText>{t("runtimesText")}</CodeText>
      </Text>
      {runtimes.error && <Problem error={runtimes.error} onRetry={() => void runtimes.refetch()} />}
      {runtimes.isPending && <Loading />}
      {runtimes.data && (
        <div className="sf-panel">
          {runtimes.data.map((one, index) => (
            <RuntimeRow
              key={`${one.name} ${one.device} ${one.digest}`}
              runtime={one}
              first={index === 0}
              builds={removable(runtimes.data, one)}
              build={one.current ? buildOf(tasks, one) : undefined}
            />
          ))}
        </div>
      )}
    </Section>
  );
}
