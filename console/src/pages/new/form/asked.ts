/** What the address of the page asks for. */
import { type Bundle, type Draft, draftOf } from "./draft";
import { nextName } from "./names";

export interface Asked {
  method?: string;
  from?: string;
  model?: string;
  teacher?: string;
  /** A registered dataset, `NAME@VERSION`. */
  dataset?: string;
  /** An uploaded file: its digest and name. */
  digest?: string;
  file?: string;
  /** Columns as written and as read: `question:prompt,reply:completion`. */
  map?: string;
  /** Under which the draft is kept. */
  address: string;
}

const KEYS = ["method", "from", "model", "teacher", "dataset", "digest", "file", "map"] as const;

export function askedOf(search: Readonly<Record<string, string | undefined>>): Asked {
  const asked: Asked = { address: "" };
  for (const key of KEYS) if (search[key]) asked[key] = search[key];
  if (asked.from) delete asked.method;
  const said = KEYS.filter((key) => asked[key]).map((key) => [key, asked[key] ?? ""]);
  asked.address = new URLSearchParams(said).toString();
  return asked;
}

/** Pairs `written:read`, each part percent-encoded so that any name of a column fits. */
export function mapOf(text: string | undefined): Record<string, string> {
  const pairs = (text ?? "").split(",").map((pair) => pair.split(":").map(decoded));
  return Object.fromEntries(
    pairs.filter((pair) => pair.length === 2 && pair[0] && pair[1]) as [string, string][],
  );
}

export function mapText(map: Readonly<Record<string, string>>): string {
  const encoded = (text: string) => encodeURIComponent(text);
  return Object.entries(map)
    .map(([from, to]) => `${encoded(from)}:${encoded(to)}`)
    .join(",");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The draft an address begins with. `name` is that of the job it is made from. */
export function firstDraft(start: Bundle, asked: Asked, name?: string): Draft {
  const plain = start.method.split("/")[1] ?? start.method;
  const draft = draftOf(start, name === undefined ? plain : nextName(name));
  if (asked.model) draft.model = asked.model;
  if (asked.teacher) draft.teacher = asked.teacher;
  if (asked.dataset) {
    draft.data.train = { reference: `dataset:${asked.dataset.replace(/^dataset:/, "")}` };
  }
  if (asked.digest) {
    draft.data.train = { digest: asked.digest, file: asked.file ?? "data.jsonl" };
  }
  if (asked.map) draft.map = mapOf(asked.map);
  return draft;
}
