import type { Texts } from "./texts";

export const en = { title: "New job" };

export const zh = { title: "新建任务" } satisfies Texts<typeof en>;
