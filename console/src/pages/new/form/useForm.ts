/** The state of the form: the draft, kept through reloads, and what the server says of it. */
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { ApiError, type Finding } from "@/api/client";
import { type Entry, entriesOf } from "../../method/parameters";
import type { Recipe } from "../../method/recipe";
import { type Body, type Checked, check } from "./calls";
import { type Bundle, bodyOf, type Draft, isTouched } from "./draft";
import { byField, fieldOf, showField, sorted } from "./fields";
import { dropDraft, keepDraft, keptDraft, newNonce } from "./kept";

const PAUSE = 500; // ms without a change before the server is asked

export interface Form {
  draft: Draft;
  set: (patch: Partial<Draft>) => void;
  /** Set a parameter; an empty text takes it back to its default. */
  setParameter: (name: string, text: string) => void;
  touched: boolean;
  /** Back to what the form began with. */
  reset: () => void;
  /** The draft was submitted: nothing of it stays. */
  done: () => void;
  nonce: string;
  recipe: Recipe;
  entries: Entry[];
  start: Bundle;
  /** What the form began with. */
  first: Draft;
  body: Body;
  checked: Checked | undefined;
  /** Whether `checked` is of the draft as it is now. */
  current: boolean;
  error: Error | null;
  found: Map<string, Finding[]>;
  /** Show what a refused submission said, and go to the first of it. */
  refuse: (findings: Finding[]) => void;
  /** The field to bring into view. */
  wanted: string | null;
  goTo: (field: string | null) => void;
}

export interface Options {
  address: string;
  recipe: Recipe;
  start: Bundle;
  first: Draft;
  language: string;
}

export function useNewForm({ address, recipe, start, first, language }: Options): Form {
  const [{ draft, nonce }, setState] = useState(
    () => keptDraft(address, first) ?? { draft: first, nonce: newNonce() },
  );
  const [wanted, goTo] = useState<string | null>(null);
  const [refused, setRefused] = useState<{ body: Body; findings: Finding[] } | null>(null);
  useScroll(wanted, goTo);
  const set = useCallback(
    (patch: Partial<Draft>) => setState((old) => ({ ...old, draft: { ...old.draft, ...patch } })),
    [],
  );
  const setParameter = useCallback(
    (name: string, text: string) =>
      setState((old) => {
        const { [name]: _, ...rest } = old.draft.params;
        const params = text.trim() === "" ? rest : { ...old.draft.params, [name]: text };
        return { ...old, draft: { ...old.draft, params } };
      }),
    [],
  );
  const touched = isTouched(draft, first);
  useEffect(() => {
    if (touched) keepDraft(address, draft, nonce);
    else dropDraft(address);
  }, [address, draft, nonce, touched]);

  const entries = useMemo(() => entriesOf(recipe.parameters, recipe.presets ?? []), [recipe]);
  const body = useMemo(() => bodyOf(draft, entries, start), [draft, entries, start]);
  const [settled] = useDebouncedValue(body, PAUSE);
  const query = useQuery({
    queryKey: ["experiment", "checked", language, settled],
    queryFn: ({ signal }) => check(settled, signal),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: (count, error) => error instanceof ApiError && error.away && count < 5,
  });
  const said = query.error ? findingsOf(query.error) : query.data?.planned.findings;
  const findings = refused?.body === body ? refused.findings : said;
  const found = useMemo(() => byField(findings ?? [], draft), [findings, draft]);
  return {
    draft, set, setParameter, touched, nonce, recipe, entries, start, first, body, found, wanted,
    goTo,
    refuse: (all) => {
      setRefused({ body, findings: all });
      const first = sorted(all)[0];
      if (first) goTo(fieldOf(first, draft));
    },
    reset: () => setState({ draft: first, nonce: newNonce() }),
    done: () => dropDraft(address),
    checked: query.error ? undefined : query.data,
    current: settled === body && !query.isFetching && !query.isPlaceholderData,
    error: query.error,
  }; // biome-ignore format: one line a thought
}

const OPENING = 120; // milliseconds in which a group opens, as a rule
const LOOKS = 25; // then it is not coming

/** Once what hides it has opened, however long a busy machine takes, show the wanted field. */
function useScroll(wanted: string | null, goTo: (field: null) => void): void {
  useEffect(() => {
    if (wanted === null) return;
    let looks = 0;
    const timer = setInterval(() => {
      looks += 1;
      if (showField(wanted) || looks === LOOKS) goTo(null);
    }, OPENING);
    return () => clearInterval(timer);
  }, [wanted, goTo]);
}

/** A refusal of the whole form as a finding, at its field where it has one. */
function findingsOf(error: Error): Finding[] {
  if (!(error instanceof ApiError) || error.away) return [];
  if (error.findings.length > 0) return error.findings;
  return [
    {
      code: error.code, severity: "error", file: null, line: null, column: null,
      key: error.code === "lab/name" ? "name" : error.code === "experiment/data" ? "data" : null,
      value: null, message: error.message, hint: error.hint,
    }, // biome-ignore format: one line a thought
  ];
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === null) throw new Error("a part of the form stands outside of it");
  return form;
}
