import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { both } from "@/i18n";
import { MethodLink } from "@/pages/methods/MethodRow";
import { PlaceBadge } from "@/pages/methods/PlaceBadge";
import { CodeText } from "@/ui/CodeText";
import type { Recipe } from "./recipe";

/** Beside the page: version, where it runs, what it needs, where else there is the same. */
export function SideFacts({ recipe }: { recipe: Recipe }) {
  const { t } = useTranslation("methods");
  return (
    <Stack className="sf-panel" p="sm" gap="sm" component="aside" aria-label={t("facts")}>
      <Fact label={t("filter.framework")}>
        <span className="sf-mono">
          {recipe.framework} {recipe.version}
        </span>
      </Fact>
      <Where recipe={recipe} />
      <Fact label={t("needs.title")}>
        {(["model", "teacher", "reward"] as const)
          .filter((name) => recipe[name] !== "none")
          .map((name) => (
            <div key={name}>
              {t(`needs.${name}`)}{" "}
              <Text span size="xs" c="dimmed">
                {t(`need.${recipe[name]}`)}
              </Text>
            </div>
          ))}
      </Fact>
      <Fact label={t("roles")}>
        {recipe.role_specs.map((role) => (
          <div key={role.name}>
            <Text span size="sm" fw={500} className="sf-mono">
              {role.name}
            </Text>
            {role.optional && (
              <Text span size="xs" c="dimmed">
                {" "}
                {t("need.optional")}
              </Text>
            )}
            <Text size="xs" c="dimmed">
              <CodeText>{both(role.description)}</CodeText>
            </Text>
          </div>
        ))}
      </Fact>
      <Hardware recipe={recipe} />
      <Fact label={t("stages")}>
        {recipe.stages.map((one) => t(`stage.${one}`, { defaultValue: one })).join(" → ")}
      </Fact>
      {recipe.checkpoint && (
        <Fact label={t("checkpoints")}>
          <span className="sf-mono">{recipe.checkpoint.format}</span>
          {recipe.checkpoint.resumable && (
            <Text span size="xs" c="dimmed">
              {" "}
              {t("resumable")}
            </Text>
          )}
        </Fact>
      )}
      {recipe.same_as.length > 0 && (
        <Fact label={t("sameAs")}>
          {recipe.same_as.map((name) => (
            <div key={name}>
              <MethodLink name={name} />
            </div>
          ))}
        </Fact>
      )}
      <Fact label={t("recipe")}>
        <Group gap={6}>
          <span className="sf-mono">{recipe.digest.slice(0, 12)}</span>
          {recipe.source !== "bundled" && <Badge variant="default">{t("own")}</Badge>}
        </Group>
      </Fact>
    </Stack>
  );
}

function Where({ recipe }: { recipe: Recipe }) {
  const { t } = useTranslation("methods");
  const { place } = recipe;
  if (!place) return null;
  return (
    <Fact label={t("place.where")}>
      <Group gap={6}>
        {place.name && (
          <span>{t(`place.${place.kind}`, { name: place.name, defaultValue: place.name })}</span>
        )}
        <PlaceBadge place={place} />
      </Group>
      {place.detail && (
        <Text size="xs" c="dimmed" mt={2}>
          <CodeText>{place.detail}</CodeText>
        </Text>
      )}
    </Fact>
  );
}

function Hardware({ recipe }: { recipe: Recipe }) {
  const { t } = useTranslation("methods");
  const { cpus, memory_gb: memory, gpus, text } = recipe.minimum;
  return (
    <Fact label={t("hardware")}>
      <div>
        {[
          t("hardwareCpus", { count: cpus }),
          t("hardwareMemory", { memory }),
          gpus > 0 && t("hardwareGpus", { count: gpus }),
        ]
          .filter(Boolean)
          .join(" · ")}
      </div>
      <Text size="xs" c="dimmed">
        <CodeText>{both(text)}</CodeText>
      </Text>
    </Fact>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Title order={3} size="xs" c="dimmed" fw={500}>
        {label}
      </Title>
      <Text component="div" size="sm">
        {children}
      </Text>
    </div>
  );
}
