import type { Texts } from "./texts";

export const en = { title: "" };

export const zh = { title: "" } satisfies Texts<typeof en>;
