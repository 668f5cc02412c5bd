import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { methodsQuery } from "@/api/queries";
import { CodeText } from "@/ui/CodeText";
import { MethodLink } from "../methods/MethodRow";
import { PlaceBadge } from "../methods/PlaceBadge";
import classes from "./choose.module.css";

export interface Choice {
  method: string;
  title: string;
  reason: string;
  /** What the address of a new job with it says. */
  search: Record<string, string>;
}

/** Methods that fit, best first: what each is, why it stands there, and the way on. */
export function MethodChoices({ choices }: { choices: Choice[] }) {
  const { t } = useTranslation("choose");
  const methods = useQuery(methodsQuery());
  const places = new Map((methods.data ?? []).map((one) => [one.name, one.place]));
  return (
    <ol className={`sf-panel ${classes.choices}`} aria-label={t("methods")}>
      {choices.map((one, index) => (
        <li key={one.method}>
          <Text span size="sm" c="dimmed" w={20} ta="right">
            {index + 1}
          </Text>
          <div style={{ flex: 1, minWidth: 0 }}>
            <Group gap="2px 8px">
              <MethodLink name={one.method} />
              <Text span size="sm">
                {one.title}
              </Text>
              <PlaceBadge place={places.get(one.method)} />
            </Group>
            <Text size="sm" c="dimmed">
              <CodeText>{one.reason}</CodeText>
            </Text>
          </div>
          <Link to="/new" search={one.search} aria-label={t("newJobWith", { name: one.method })}>
            <Button component="span" variant={index === 0 ? "filled" : "default"}>
              {t("newJob")}
            </Button>
          </Link>
        </li>
      ))}
    </ol>
  );
}
