import type { Texts } from "./texts";

export const en = { title: "Settings" };

export const zh = { title: "设置" } satisfies Texts<typeof en>;
