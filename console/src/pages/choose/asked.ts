/** What the address of the page says: answers so far, or a file with how to read it. */
import { mapOf, mapText } from "../new/form/asked";

type Search = Readonly<Record<string, string | undefined>>;

export interface Asked {
  answers: string[];
  /** Content of the data by SHA-256, and the name of its file. */
  digest: string | null;
  file: string;
  /** `NAME@VERSION` when the data are registered. */
  dataset: string | null;
  /** Columns as written → as read. */
  map: Record<string, string>;
  gpus: number | null;
  /** GB of each GPU. */
  memory: number | null;
  teacher: string;
}

export function askedOf(search: Search): Asked {
  const digest = search.digest ?? "";
  return {
    answers: (search.answers ?? "").split(",").filter(Boolean),
    digest: /^[0-9a-f]{64}$/.test(digest) ? digest : null,
    file: search.file ?? "data.jsonl",
    dataset: search.dataset ?? null,
    map: mapOf(search.map),
    gpus: whole(search.gpus),
    memory: whole(search.memory),
    teacher: search.teacher ?? "",
  };
}

function whole(text: string | undefined): number | null {
  const number = Number(text);
  return text && Number.isInteger(number) && number >= 0 ? number : null;
}

/** The address of a new job with a method and the data at hand. */
export function newJobSearch(
  method: string,
  asked: Pick<Asked, "digest" | "file" | "dataset" | "teacher">,
  map: Readonly<Record<string, string>>,
): Record<string, string> {
  const search: Record<string, string> = { method };
  if (asked.dataset) search.dataset = asked.dataset;
  else if (asked.digest) Object.assign(search, { digest: asked.digest, file: asked.file });
  if (asked.digest && Object.keys(map).length > 0) search.map = mapText(map);
  if (asked.teacher) search.teacher = asked.teacher;
  return search;
}
