"""Rules about reward files."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

UNUSABLE = rule(
    "reward/unusable", "error",
    title=Text("Reward file that can't be used", "奖励文件不可用"),
    message=Text("{file}: {problem.en}", "{file}：{problem.zh}"),
    hint=Text("write `def reward(prompts, completions, **columns)` that returns one number for "
              "each completion",
              "请写 `def reward(prompts, completions, **columns)`，为每个回答返回一个数"),
    why=Text("The job calls this function with the prompts and the completions, in this order.",
             "任务会按这个顺序把提示和回答传给该函数。"),
    bad="def score(completion): ...", good="def reward(prompts, completions, answer): ...",
)  # fmt: skip
FAILS = rule(
    "reward/fails", "error",
    title=Text("Reward that fails on your rows", "奖励函数在数据上出错"),
    message=Text("{file} was tried on the first rows: {problem.en}",
                 "用前几行数据试运行 {file}：{problem.zh}"),
    hint=Text("return a list with one finite number (or a dictionary of named numbers) for each "
              "completion, for empty and unexpected ones too",
              "请为每个回答返回一个有限的数（或由命名的数组成的字典），空回答和意外的回答也不例外"),
    why=Text("The job would stop at its first batch, after loading the models.",
             "任务会在加载模型之后的第一批就中断。"),
    bad="def reward(prompts, completions):\n    return [float(c) for c in completions]",
    good="def reward(prompts, completions):\n    return [float(len(c) < 100) for c in completions]",
)  # fmt: skip
CONSTANT = rule(
    "reward/constant", "warning",
    title=Text("Reward that is always the same", "奖励始终相同"),
    message=Text("{file} gave {value:g} to all of {count} answers: right, wrong and empty ones in "
                 "usual forms",
                 "{file} 给全部 {count} 个回答的奖励都是 {value:g}，"
                 "其中有常见写法的正确回答、错误回答和空回答"),
    hint=Text("check that it finds the answer in the text; ignore this if it looks for a form "
              "that was not tried",
              "请检查它能否从文本中找到答案；如果它要求的写法没有试到，可忽略此提示"),
    why=Text("A method learns from differences between answers; without any, nothing changes.",
             "方法是从回答之间的差别中学习的，没有差别就什么也学不到。"),
    bad="def reward(prompts, completions):\n    return [0.0 for _ in completions]",
    good="def reward(prompts, completions, answer):\n"
         "    return [float(a in c) for c, a in zip(completions, answer)]",
)  # fmt: skip
SLOW = rule(
    "reward/slow", "warning",
    title=Text("Slow reward", "奖励函数很慢"),
    message=Text("{file} took {seconds} seconds for {count} answers",
                 "{file} 计算 {count} 个回答用了 {seconds} 秒"),
    hint=Text("make it `async` or use threads if it waits for something; load what it needs once",
              "如果它在等待外部结果，请写成 `async` 或使用线程；所需的内容只加载一次"),
    why=Text("The GPUs wait for it after every batch of hundreds of answers.",
             "每批有数百个回答，GPU 都要等它算完。"),
    bad="time.sleep(1) for every completion", good="all completions of a batch at once",
)  # fmt: skip
LATE = rule(
    "reward/late", "warning",
    title=Text("Reward that takes longer than its own limit", "奖励函数超过了自己的时限"),
    message=Text("{file} took {seconds} seconds for {count} answers, and its TIME_LIMIT is "
                 "{limit} seconds a call",
                 "{file} 计算 {count} 个回答用了 {seconds} 秒，而它的 TIME_LIMIT 是每次调用 "
                 "{limit} 秒"),
    hint=Text("make it faster, or raise TIME_LIMIT in the file",
              "请加快它，或在文件中调大 TIME_LIMIT"),
    why=Text("A call with a whole batch that takes longer than TIME_LIMIT ends the job.",
             "以整批回答调用时，超过 TIME_LIMIT 任务就会结束。"),
    bad="TIME_LIMIT = 1\n\ndef reward(...):\n    time.sleep(3)",
    good="TIME_LIMIT = 60",
)  # fmt: skip
WEIGHTS = rule(
    "reward/weights", "warning",
    title=Text("Weight of a part that the reward doesn't have", "权重对应的奖励分项不存在"),
    message=Text("WEIGHTS in {file} names `{name}`, which no answer's reward had as a part",
                 "{file} 的 WEIGHTS 中有 `{name}`，但没有任何回答的奖励含有这个分项"),
    hint=Text("the parts were: {known}", "出现过的分项：{known}"),
    why=Text("A misspelt name leaves the part it was meant for at the weight 1.",
             "名字写错时，本想调整的分项仍按权重 1 计算。"),
    bad='WEIGHTS = {"fromat": 0.1}', good='WEIGHTS = {"format": 0.1}',
)  # fmt: skip
WRITES = rule(
    "reward/writes", "warning",
    title=Text("Reward that writes files", "奖励函数会写文件"),
    message=Text("{file} wrote to {path} when it was tried", "试运行时 {file} 写入了 {path}"),
    hint=Text("print instead, or write below $STARFORGE_OUTPUT_DIR, under a name with the process "
              "id", "请改用 print，或写到 $STARFORGE_OUTPUT_DIR 下，文件名带上进程号"),
    why=Text("Several processes of a job call it at the same time, on whatever machine it runs, "
             "and checks call it, too.",
             "任务的多个进程会同时调用它，所在机器也不固定；检查时同样会调用它。"),
    bad='Path("/data/log.txt").write_text(...)', good="print(...)    # stands in the job's log",
)  # fmt: skip
NOT_TRIED = rule(
    "reward/not-tried", "info",
    title=Text("Reward that was not tried here", "未能在此试运行奖励函数"),
    message=Text("{file} needs the module `{module}`, which is not installed here; it is tried "
                 "when the job starts",
                 "{file} 需要模块 `{module}`，此处没有安装，将在任务启动时再试"),
    why=Text("The runtime of the job may have it.", "任务的运行环境里可能有该模块。"),
    bad="import math_verify (where it is not installed)", good="import re",
)  # fmt: skip
JUDGE = rule(
    "reward/judge", "info",
    title=Text("Reward that asks a judge", "奖励函数会询问评判模型"),
    message=Text("{file} asks a judge, which was not done here: `sf reward try` does it",
                 "{file} 会询问评判模型，此处没有询问；可用 `sf reward try` 试一试"),
    why=Text("Checks cost nothing and need no network.", "检查不产生费用，也不需要网络。"),
    bad="judge(prompts, completions, RUBRIC)    # in sf validate", good="sf reward try my-grpo",
)  # fmt: skip
UNKNOWN_BUILTIN = rule(
    "reward/unknown-builtin", "error",
    title=Text("Unknown built-in reward", "没有这个内置奖励"),
    message=Text("a job has no `{name}`", "任务里没有 `{name}`"),
    hint=Text("starforge.rewards has: {known}", "starforge.rewards 中有：{known}"),
    why=Text("A job has the package `starforge` only as far as rewards and reports need it.",
             "任务里的 `starforge` 包只包含奖励和上报所需的部分。"),
    bad="from starforge.rewards import numerc", good="from starforge.rewards import numeric",
)  # fmt: skip
