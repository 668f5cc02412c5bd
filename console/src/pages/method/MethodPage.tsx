import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { methodQuery } from "@/api/queries";
import { both } from "@/i18n";
import { CodeText } from "@/ui/CodeText";
import { CommandBlock } from "@/ui/CommandBlock";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { Section } from "@/ui/Section";
import { DataSection } from "./DataSection";
import { Ignored, Metrics, Pins } from "./Lists";
import classes from "./method.module.css";
import { Parameters } from "./Parameters";
import { type Recipe, recipeOf } from "./recipe";
import { SideFacts } from "./SideFacts";

/** Everything the connected server says of one method. */
export function MethodPage() {
  const { t } = useTranslation("methods");
  const { framework, name } = useParams({ strict: false }) as { framework: string; name: string };
  const full = `${framework}/${name}`;
  const method = useQuery(methodQuery(full));
  const recipe = method.data && recipeOf(method.data);
  return (
    <Page
      title={full}
      heading={
        <Group gap={10} align="baseline">
          <span className="sf-mono" style={{ fontSize: "inherit" }}>
            {full}
          </span>
          {recipe && (
            <Text span c="dimmed" size="md" fw={400}>
              {both(recipe.title)}
            </Text>
          )}
        </Group>
      }
      subtitle={recipe && both(recipe.summary)}
      actions={
        recipe && (
          <Link to="/new" search={{ method: full }}>
            <Button component="span">{t("newJob")}</Button>
          </Link>
        )
      }
    >
      {method.error && <Problem error={method.error} onRetry={() => void method.refetch()} />}
      {method.isPending && <Loading lines={12} />}
      {recipe && <Content recipe={recipe} />}
    </Page>
  );
}

function Content({ recipe }: { recipe: Recipe }) {
  const { t } = useTranslation("methods");
  return (
    <>
      <Contents recipe={recipe} />
      <div className={classes.layout}>
        <Stack gap="lg" miw={0}>
          <div className={classes.pair}>
            <Section title={t("whenTitle")}>
              <Text size="sm">
                <CodeText>{both(recipe.use_when)}</CodeText>
              </Text>
            </Section>
            <Section title={t("avoidTitle")}>
              <Text size="sm">
                <CodeText>{both(recipe.avoid_when)}</CodeText>
              </Text>
            </Section>
          </div>
          <Section title={t("next")} bare>
            <CommandBlock
              text={`sf new my-run --method ${recipe.name}\nsf validate my-run\nsf submit my-run`}
            />
          </Section>
          <DataSection recipe={recipe} />
          <Links links={recipe.links} />
        </Stack>
        <SideFacts recipe={recipe} />
      </div>
      <Stack gap="lg">
        <Parameters recipe={recipe} />
        {recipe.metrics.length > 0 && <Metrics metrics={recipe.metrics} />}
        <Pins pins={recipe.pins} />
        <Ignored ignored={recipe.ignored} />
      </Stack>
    </>
  );
}

/** Papers and upstream's documents. */
function Links({ links }: { links: Recipe["links"] }) {
  const { t } = useTranslation("methods");
  if (links.length === 0) return null;
  return (
    <Section title={t("links")} bare>
      {links.map((link) => (
        <Anchor key={link.url} href={link.url} target="_blank" rel="noreferrer" display="block">
          <Text span size="sm">
            {link.title}
          </Text>
        </Anchor>
      ))}
    </Section>
  );
}

/** The parts of the page, as links into it. */
function Contents({ recipe }: { recipe: Recipe }) {
  const { t } = useTranslation("methods");
  const parts = [
    ["data", t("dataTitle"), 1],
    ["parameters", t("parameters"), recipe.parameters.length],
    ["metrics", t("metrics"), recipe.metrics.length],
    ["pins", t("pins"), recipe.pins.length],
    ["ignored", t("ignored"), recipe.ignored.length],
  ] as const;
  return (
    <Group component="nav" gap="4px 14px" aria-label={t("onThisPage")}>
      {parts
        .filter(([, , count]) => count > 0)
        .map(([id, label]) => (
          <Anchor key={id} href={`#${id}`} size="sm">
            {label}
          </Anchor>
        ))}
    </Group>
  );
}
