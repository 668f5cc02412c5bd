import type { Texts } from "./texts";

export const en = {
  title: "New job",
  newTitle: "A job starts from an experiment",
  newText:
    "These commands make one that runs as it is, check it, and run it here. It appears among the jobs at once.",
  chooseTitle: "Which method fits your data",
  chooseText:
    "This looks at a file of yours, says what kind of data it is and why, and names the methods that fit, best first.",
};

export const zh = {
  title: "新建任务",
  newTitle: "任务从实验开始",
  newText:
    "下面的命令创建一个可以直接运行的实验，检查它，并在这里运行。提交后会立即出现在任务列表中。",
  chooseTitle: "哪个方法适合你的数据",
  chooseText: "它查看你的数据文件，说明属于哪一类及理由，并按合适程度列出方法。",
} satisfies Texts<typeof en>;
