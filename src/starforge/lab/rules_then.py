"""Findings about ``then`` of experiment.yaml."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

STEP = rule(
    "then/step", "error",
    title=Text("Not a step", "不是有效的后续步骤"),
    message=Text("`{value}` is not a step of `then`", "`{value}` 不是 `then` 的有效步骤"),
    hint=Text("write `export`, the name of a benchmark, or a mapping such as "
              "`{{benchmark: basics, limit: 20}}` or `{{export: adapter}}`",
              "请写 `export`、评测包的名字，或 `{{benchmark: basics, limit: 20}}`、"
              "`{{export: adapter}}` 这样的映射"),
    why=Text("A step that can't be read would be missed only when training is over.",
             "读不懂的步骤要等训练结束才会被发现。"),
    bad="method: trl/sft\nthen: [{bench: basics}]",
    good="method: trl/sft\nthen: [{benchmark: basics}]",
)  # fmt: skip
TWICE = rule(
    "then/twice", "warning",
    title=Text("The same step twice", "重复的步骤"),
    message=Text("`{value}` stands in `then` already; it is done once",
                 "`{value}` 在 `then` 中已经出现过，只会执行一次"),
    hint=Text("remove it", "请删除它"),
    why=Text("It would give the same result again.", "重复执行只会得到同样的结果。"),
    bad="method: trl/sft\nthen: [basics, basics]", good="method: trl/sft\nthen: [basics]",
)  # fmt: skip
NO_MODEL = rule(
    "then/no-model", "error",
    title=Text("Nothing to go on with", "没有可用于后续步骤的模型"),
    message=Text("{method} leaves no model, so nothing can follow it",
                 "{method} 不产出模型，无法执行后续步骤"),
    hint=Text("remove `then`", "请删除 `then`"),
    why=Text("Every step works on the model that the job leaves.",
             "每个步骤都以任务产出的模型为对象。"),
    bad="method: evalkit/benchmark\nthen: [export]", good="method: evalkit/benchmark",
)  # fmt: skip
REWARD_MODEL = rule(
    "then/reward-model", "error",
    title=Text("A reward model can't be asked", "奖励模型不能用于问答评测"),
    message=Text("{method} leaves a reward model: it gives numbers, not answers",
                 "{method} 产出的是奖励模型：它只给出分数，不会作答"),
    hint=Text("leave the benchmark out; `export` checks the model by scoring a text",
              "请去掉该评测；`export` 会让模型给一段文本打分来检查它"),
    why=Text("The benchmark would fail after the training.", "评测会在训练结束后失败。"),
    bad="method: trl/rm\nthen: [basics]", good="method: trl/rm\nthen: [export]",
)  # fmt: skip
DATA = rule(
    "then/data", "error",
    title=Text("Items of a step not found", "找不到步骤所用的题目"),
    message=Text("{problem.en}", "{problem.zh}"),
    hint=Text("put the items into the experiment's folder, or register them and write "
              "`data: dataset:NAME@VERSION`",
              "请把题目文件放进实验文件夹，或先登记再写 `data: dataset:名字@版本`"),
    why=Text("The step runs after the training, with what was submitted.",
             "该步骤在训练之后运行，只能使用已提交的文件。"),
    bad="method: trl/sft\nthen: [{benchmark: gsm8k, data: ../gsm8k.jsonl}]",
    good="method: trl/sft\nthen: [{benchmark: gsm8k, data: gsm8k.jsonl}]",
)  # fmt: skip
