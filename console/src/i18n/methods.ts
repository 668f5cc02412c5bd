import type { Texts } from "./texts";

export const en = {
  title: "Methods",
  count_one: "{{count}} method",
  count_other: "{{count}} methods",
  search: "Search methods",
  clear: "Clear the filters",
  nothing: "No method matches",
  nothingText: "Loosen the filters, or search for another word.",
  choose: "Help me choose",
  filter: { data: "Data", framework: "Framework", algorithm: "Algorithm" },
  data: {
    instruction: "Instructions and answers",
    preference: "Preference pairs",
    binary: "Good/bad labels",
    verifiable: "Verifiable tasks",
    prompts: "Prompts",
    none: "No training data",
  },
  place: {
    ready: "ready",
    own: "brings its own Python",
    missing: "not ready",
    runtime: "runtime {{name}}",
    image: "image {{name}}",
    python: "Python {{name}}",
  },
  own: "of this deployment",
};

export const zh = {
  title: "方法",
  count_one: "{{count}} 个方法",
  count_other: "{{count}} 个方法",
  search: "搜索方法",
  clear: "清除筛选",
  nothing: "没有符合条件的方法",
  nothingText: "请放宽筛选条件，或换一个词搜索。",
  choose: "帮我选择",
  filter: { data: "数据", framework: "框架", algorithm: "算法" },
  data: {
    instruction: "指令-回复",
    preference: "成对偏好",
    binary: "二元好/坏",
    verifiable: "可验证任务",
    prompts: "提示",
    none: "不需要训练数据",
  },
  place: {
    ready: "就绪",
    own: "自带 Python",
    missing: "未就绪",
    runtime: "运行环境 {{name}}",
    image: "镜像 {{name}}",
    python: "Python {{name}}",
  },
  own: "本部署自有",
} satisfies Texts<typeof en>;
