import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { jobQuery, methodQuery } from "@/api/queries";
import { currentLanguage } from "@/i18n";
import { Loading } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Problem } from "@/ui/Problem";
import { MethodLink } from "../job/MethodLink";
import { recipeOf } from "../method/recipe";
import { type Asked, askedOf, firstDraft } from "./form/asked";
import { startQuery } from "./form/calls";
import { FormContext, type Options, useNewForm } from "./form/useForm";
import { About } from "./parts/About";
import { Data } from "./parts/Data";
import { Files } from "./parts/Files";
import { Models } from "./parts/Models";
import { Native } from "./parts/Native";
import { Parameters } from "./parts/Parameters";
import { Pick } from "./parts/Pick";
import { PlanView } from "./parts/PlanView";
import { Policies } from "./parts/Policies";
import { Run } from "./parts/Run";
import { Side } from "./parts/Side";
import classes from "./parts/side.module.css";

/** A job from a method (`?method=`, with `model`, `dataset`…), or changed from another (`?from=`). */
export function NewJobPage() {
  const { t } = useTranslation("newJob");
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const asked = askedOf(search);
  if (!asked.method && !asked.from) {
    return (
      <Page title={t("title")}>
        <Pick />
      </Page>
    );
  }
  return <Begin key={asked.address} asked={asked} />;
}

/** Waits for what the form begins with. */
function Begin({ asked }: { asked: Asked }) {
  const { t } = useTranslation("newJob");
  const start = useQuery(startQuery(asked.method, asked.from));
  const method = start.data?.method ?? asked.method ?? "";
  const recipe = useQuery({ ...methodQuery(method), enabled: method !== "" });
  const job = useQuery({ ...jobQuery(asked.from ?? ""), enabled: asked.from !== undefined });
  const error = start.error ?? recipe.error ?? job.error;
  const title = asked.from ? t("cloneTitle") : t("title");
  if (error && !start.data) {
    return (
      <Page title={title}>
        <Problem error={error} onRetry={() => void start.refetch()} />
      </Page>
    );
  }
  if (!start.data || !recipe.data || (asked.from && !job.data)) {
    return (
      <Page title={title}>
        <Loading lines={10} />
      </Page>
    );
  }
  const first = firstDraft(start.data, asked, job.data?.name);
  return (
    <Filled
      title={title}
      from={asked.from && job.data ? { id: job.data.id, name: job.data.name } : null}
      address={asked.address}
      recipe={recipeOf(recipe.data)}
      start={start.data}
      first={first}
      language={currentLanguage()}
    />
  );
}

interface FilledProps extends Options {
  title: string;
  from: { id: string; name: string } | null;
}

/** The form itself, with what the checks say beside it. */
function Filled({ title, from, ...options }: FilledProps) {
  const { t } = useTranslation("newJob");
  // What it began with stays, whatever is asked again later.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  const first = useMemo(() => options.first, []);
  const form = useNewForm({ ...options, first });
  return (
    <FormContext.Provider value={form}>
      <Page
        title={title}
        subtitle={
          <Group gap="sm">
            <MethodLink method={options.recipe.name} />
            <Text size="sm" c="dimmed">
              {options.recipe.framework} {options.recipe.version}
            </Text>
            {from && (
              <Text size="sm" c="dimmed">
                {t("cloneOf")}{" "}
                <Link to="/jobs/$job" params={{ job: from.id }} search={{}}>
                  {from.name}
                </Link>
              </Text>
            )}
          </Group>
        }
      >
        <div className={classes.layout}>
          <div className={classes.parts}>
            <About />
            <Models />
            <Data />
            <Parameters />
            <Files />
            <Native />
            <Run />
            <Policies />
            <PlanView />
          </div>
          <Side />
        </div>
      </Page>
    </FormContext.Provider>
  );
}
