import type { Texts } from "./texts";

export const en = { title: "Methods" };

export const zh = { title: "方法" } satisfies Texts<typeof en>;
