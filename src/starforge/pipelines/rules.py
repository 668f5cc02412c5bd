"""Findings about pipeline.yaml."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

UNKNOWN_KEY = rule(
    "pipeline/unknown-key", "error",
    title=Text("Unknown key in pipeline.yaml", "pipeline.yaml 中有未知的键"),
    message=Text("`{key}` is not a key of pipeline.yaml", "`{key}` 不是 pipeline.yaml 的键"),
    hint=Text("known keys here: {known}", "此处可用的键：{known}"),
    why=Text("A misspelt key would be ignored, and the pipeline would not do what was written.",
             "写错的键会被忽略，流水线就不会按你写的执行。"),
    bad="stages: {sft: {experiment: sft, retry: 1}}",
    good="stages: {sft: {experiment: sft, retries: 1}}",
)  # fmt: skip
WRONG_TYPE = rule(
    "pipeline/wrong-type", "error",
    title=Text("Wrong type in pipeline.yaml", "pipeline.yaml 中类型不对"),
    message=Text("`{key}` must be {wanted.en}, not {given.en}",
                 "`{key}` 应为{wanted.zh}，而不是{given.zh}"),
    why=Text("A value of another type can't be used.", "类型不符的值无法使用。"),
    bad="stages: {sft: {experiment: sft, retries: two}}",
    good="stages: {sft: {experiment: sft, retries: 2}}",
)  # fmt: skip
NO_STAGES = rule(
    "pipeline/no-stages", "error",
    title=Text("No stages", "没有阶段"),
    message=Text("pipeline.yaml has no `stages`", "pipeline.yaml 没有 `stages`（阶段）"),
    hint=Text("add `stages: {{NAME: {{experiment: EXPERIMENT}}}}`, or begin with "
              "`sf pipeline new NAME --template sft-dpo-benchmark`",
              "请加上 `stages: {{名字: {{experiment: 实验}}}}`，"
              "或用 `sf pipeline new 名字 --template sft-dpo-benchmark` 开始"),
    why=Text("A pipeline without stages does nothing.", "没有阶段的流水线什么也不做。"),
    bad="name: math", good="stages: {sft: {experiment: sft}}",
)  # fmt: skip
STAGE_NAME = rule(
    "pipeline/stage-name", "error",
    title=Text("Not a name for a stage", "不能用作阶段名"),
    message=Text("`{name}` can't be the name of a stage", "`{name}` 不能用作阶段名"),
    hint=Text("use letters, digits, `_` and `-`, and start with a letter",
              "请使用字母（含汉字）、数字、`_` 和 `-`，并以字母开头"),
    why=Text("Gates and other stages name it, and its job is called after it.",
             "门槛和其他阶段要引用它，它的任务也以它命名。"),
    bad="stages: {1 sft: {experiment: sft}}", good="stages: {sft-1: {experiment: sft}}",
)  # fmt: skip
ONE_KIND = rule(
    "pipeline/one-kind", "error",
    title=Text("Not one thing to do", "没有写明唯一的工作"),
    message=Text("stage `{name}` must have either `experiment` or `benchmark`",
                 "阶段 `{name}` 必须写且只能写 `experiment` 与 `benchmark` 之一"),
    hint=Text("an experiment of this lab by name, or the names of benchmarks with `model` or "
              "`model_from`",
              "写当前 lab 中实验的名字；或写评测包的名字，并用 `model` 或 `model_from` 指定模型"),
    why=Text("A stage is one job.", "一个阶段就是一个任务。"),
    bad="stages: {sft: {needs: []}}", good="stages: {sft: {experiment: sft}}",
)  # fmt: skip
NO_EXPERIMENT = rule(
    "pipeline/no-experiment", "error",
    title=Text("Experiment of a stage not found", "找不到阶段的实验"),
    message=Text("there is no experiment `{name}`", "没有名为 `{name}` 的实验"),
    hint=Text("`sf ls` lists the experiments of this lab; a path is relative to the lab",
              "用 `sf ls` 查看当前 lab 的实验；路径相对于 lab"),
    why=Text("The whole pipeline is sent when it starts, so everything must be there before.",
             "流水线启动时会整体提交，所以全部内容必须事先就绪。"),
    bad="stages: {sft: {experiment: stf}}", good="stages: {sft: {experiment: sft}}",
)  # fmt: skip
NO_MODEL = rule(
    "pipeline/no-model", "error",
    title=Text("No model to score", "没有要评测的模型"),
    message=Text("stage `{name}` does not say which model it scores",
                 "阶段 `{name}` 没有写明要评测哪个模型"),
    hint=Text("add `model_from: STAGE`, or `model:` with a folder, a hub id, job:ID or "
              "model:NAME@VERSION",
              "请加上 `model_from: 阶段`，"
              "或用 `model:` 写明文件夹、hub ID、job:ID 或 model:名字@版本"),
    why=Text("A benchmark needs a model.", "评测需要一个模型。"),
    bad="stages: {score: {benchmark: basics}}",
    good="stages: {score: {benchmark: basics, model: models/base}}",
)  # fmt: skip
TWO_SOURCES = rule(
    "pipeline/two-sources", "error",
    title=Text("One input from two places", "同一输入有两个来源"),
    message=Text("`{key}` and `{other}` both say where the {what} comes from",
                 "`{key}` 与 `{other}` 都指定了 {what} 的来源"),
    hint=Text("keep one of them", "请只保留其中一个"),
    why=Text("Only one of them could hold.", "二者只有一个会生效。"),
    bad="model: models/base\ninit_from: sft", good="init_from: sft",
)  # fmt: skip
UNKNOWN_STAGE = rule(
    "pipeline/unknown-stage", "error",
    title=Text("Unknown stage", "未知的阶段"),
    message=Text("there is no stage `{name}`", "没有名为 `{name}` 的阶段"),
    hint=Text("the stages are: {known}", "已有的阶段：{known}"),
    why=Text("A stage waits for the stages it names.", "阶段会等待它所引用的阶段。"),
    bad="stages: {sft: {experiment: sft}, dpo: {experiment: dpo, init_from: stf}}",
    good="stages: {sft: {experiment: sft}, dpo: {experiment: dpo, init_from: sft}}",
)  # fmt: skip
RESULT_FORM = rule(
    "pipeline/result", "error",
    title=Text("Not a result of a stage", "不是阶段的产出"),
    message=Text("`{value}` does not name a result of a stage", "`{value}` 没有指明某个阶段的产出"),
    hint=Text("a model is `STAGE`, `STAGE@best`, `STAGE@last` or `STAGE@step-N`; a file is "
              "`STAGE:PATH` below the output folder of the stage's job",
              "模型写作 `阶段`、`阶段@best`、`阶段@last` 或 `阶段@step-N`；"
              "文件写作 `阶段:路径`，相对于该阶段任务的 output 目录"),
    why=Text("What a stage is to take from another must be known before either starts.",
             "从别的阶段取什么，必须在开始之前就明确。"),
    bad="data_from: {train: make}", good="data_from: {train: 'make:rows.jsonl'}",
)  # fmt: skip
CYCLE = rule(
    "pipeline/cycle", "error",
    title=Text("Stages wait for each other", "阶段之间互相等待"),
    message=Text("these stages wait for each other: {path}", "这些阶段互相等待：{path}"),
    hint=Text("remove one of `needs`, `init_from`, `data_from`, ... or the gate that closes the "
              "circle",
              "请去掉造成循环的 `needs`、`init_from`、`data_from` 等，或相应的门槛"),
    why=Text("None of them could ever start.", "它们谁也无法开始。"),
    bad="stages: {a: {experiment: a, needs: [b]}, b: {experiment: b, needs: [a]}}",
    good="stages: {a: {experiment: a}, b: {experiment: b, needs: [a]}}",
)  # fmt: skip
OUTPUT = rule(
    "pipeline/output", "error",
    title=Text("A result that does not fit", "阶段产出不匹配"),
    message=Text("stage `{stage}` ({method}) {left.en}, but `{key}` needs {wanted.en}",
                 "阶段 `{stage}`（{method}）{left.zh}，而 `{key}` 需要{wanted.zh}"),
    hint=Text("take the result of another stage", "请换用其他阶段的产出"),
    why=Text("The stage would fail after those before it have run.",
             "前面的阶段都运行完之后，该阶段才会失败。"),
    bad="stages: {rm: {experiment: trl-rm}, grpo: {experiment: grpo, init_from: rm}}",
    good="stages: {sft: {experiment: sft}, grpo: {experiment: grpo, init_from: sft}}",
)  # fmt: skip
NO_CHECKPOINT = rule(
    "pipeline/no-checkpoint", "error",
    title=Text("A checkpoint that will not be there", "届时不存在的检查点"),
    message=Text("stage `{stage}` ({method}) will leave no `{which}`: {why.en}",
                 "阶段 `{stage}`（{method}）不会留下 `{which}`：{why.zh}"),
    hint=Text("take its final model: `{key}: {stage}`", "请使用它的最终模型：`{key}: {stage}`"),
    why=Text("The stage would fail after those before it have run.",
             "前面的阶段都运行完之后，该阶段才会失败。"),
    bad="stages: {sft: {experiment: verl-sft}, grpo: {experiment: grpo, init_from: sft@best}}",
    good="stages: {sft: {experiment: verl-sft}, grpo: {experiment: grpo, init_from: sft}}",
)  # fmt: skip
NO_ROWS = rule(
    "pipeline/no-rows", "error",
    title=Text("Rows of a stage that writes none", "取用不产出数据的阶段"),
    message=Text("stage `{stage}` ({method}) writes no file of rows, but `{key}` needs one",
                 "阶段 `{stage}`（{method}）不会写出数据文件，而 `{key}` 需要一个"),
    hint=Text("rows are made by a stage of `custom/custom`, whose script writes them to "
              "$STARFORGE_OUTPUT_DIR",
              "数据由 `custom/custom` 的阶段产出，由其脚本写到 $STARFORGE_OUTPUT_DIR"),
    why=Text("The stage would fail after those before it have run.",
             "前面的阶段都运行完之后，该阶段才会失败。"),
    bad="stages: {sft: {experiment: sft}, "
        "dpo: {experiment: dpo, data_from: {train: 'sft:x.jsonl'}}}",
    good="stages: {make: {experiment: own}, "
         "dpo: {experiment: dpo, data_from: {train: 'make:x.jsonl'}}}",
)  # fmt: skip
ROWS_UNSURE = rule(
    "pipeline/rows-unsure", "info",
    title=Text("Rows that can't be checked beforehand", "无法预先检查的数据"),
    message=Text("which columns `{file}` of stage `{stage}` has shows only when it has run",
                 "阶段 `{stage}` 的 `{file}` 含有哪些列，运行之后才能知道"),
    hint=Text("stage `{taker}` needs {columns.en}; it is checked before its job starts",
              "阶段 `{taker}` 需要 {columns.zh}；它的任务开始前会做检查"),
    why=Text("A script says what it writes only when it runs.", "脚本运行之后才知道它写出了什么。"),
    bad="data_from: {train: 'make:rows.jsonl'}", good="data: {train: rows.jsonl}",
)  # fmt: skip
NOT_TAKEN = rule(
    "pipeline/not-taken", "error",
    title=Text("An input the method does not take", "方法不接受的输入"),
    message=Text("{method} takes no `{what}`, so stage `{stage}` can't be given one",
                 "{method} 不接受 `{what}`，不能为阶段 `{stage}` 指定"),
    hint=Text("remove `{key}`", "请去掉 `{key}`"),
    why=Text("It would be ignored, and the stage would not do what was written.",
             "它会被忽略，阶段就不会按你写的执行。"),
    bad="stages: {dpo: {experiment: dpo, reward_from: rm}}",
    good="stages: {ppo: {experiment: ppo, reward_from: rm}}",
)  # fmt: skip
GATE = rule(
    "pipeline/gate", "error",
    title=Text("Not a gate", "不是有效的门槛"),
    message=Text("`{value}` is not a gate: {problem.en}", "`{value}` 不是有效的门槛：{problem.zh}"),
    hint=Text("write `gsm8k.exact_match >= 0.4`, `gsm8k.exact_match >= base-score + 2se`, or "
              "`gsm8k.exact_match better than base-score by 2 se`",
              "请写 `gsm8k.exact_match >= 0.4`、`gsm8k.exact_match >= base-score + 2se` 或 "
              "`gsm8k.exact_match better than base-score by 2 se`"),
    why=Text("A gate that can't be read would be met by anything, or by nothing.",
             "读不懂的门槛要么形同虚设，要么永远通不过。"),
    bad="gate: gsm8k >= 40%", good="gate: gsm8k.exact_match >= 0.4",
)  # fmt: skip
GATE_METRIC = rule(
    "pipeline/gate-metric", "error",
    title=Text("A gate on what is not measured", "门槛所用的指标没有测量"),
    message=Text("stage `{stage}` does not measure `{metric}`",
                 "阶段 `{stage}` 不会测量 `{metric}`"),
    hint=Text("it measures: {known}", "它会测量：{known}"),
    why=Text("The gate could never be met.", "这样的门槛永远通不过。"),
    bad="{benchmark: basics, model: m, gate: basics.accuracy >= 0.5}",
    good="{benchmark: basics, model: m, gate: basics.acc >= 0.5}",
)  # fmt: skip
GATE_UNSURE = rule(
    "pipeline/gate-unsure", "info",
    title=Text("A gate that can't be checked beforehand", "无法预先检查的门槛"),
    message=Text("whether stage `{stage}` measures `{metric}` shows only when it has run",
                 "阶段 `{stage}` 是否会测量 `{metric}`，运行之后才能知道"),
    hint=Text("without that score the gate is not met", "如果没有这项得分，就视为未通过门槛"),
    why=Text("A script, and a benchmark of the hub, say what they measure only when they run.",
             "脚本和 hub 上的评测在运行时才会给出指标。"),
    bad="gate: own.quality >= 0.5", good="gate: basics.acc >= 0.5",
)  # fmt: skip
GATE_DIFFERS = rule(
    "pipeline/gate-differs", "error",
    title=Text("A gate on scores that can't be compared", "门槛比较的得分不可比"),
    message=Text("stages `{stage}` and `{other}` ask `{benchmark}` differently: {what}",
                 "阶段 `{stage}` 与 `{other}` 对 `{benchmark}` 的评测设置不同：{what}"),
    hint=Text("give both the same settings", "请让两者使用相同的设置"),
    why=Text("A difference of scores says something only when the questions are the same.",
             "题目和设置相同，得分差异才有意义。"),
    bad="base: {benchmark: basics, set: {limit: 10}}\n"
        "score: {benchmark: basics, gate: basics.acc >= base}",
    good="base: {benchmark: basics}\nscore: {benchmark: basics, gate: basics.acc >= base}",
)  # fmt: skip
