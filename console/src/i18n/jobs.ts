import type { Texts } from "./texts";

export const en = { title: "Jobs" };

export const zh = { title: "任务" } satisfies Texts<typeof en>;
