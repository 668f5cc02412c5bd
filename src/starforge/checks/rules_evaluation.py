"""Rules about benchmark jobs."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

NO_BENCHMARKS = rule(
    "eval/no-benchmarks", "error",
    title=Text("No benchmark chosen", "没有选择评测包"),
    message=Text("no benchmark is chosen", "没有选择评测包"),
    hint=Text("name some under params, such as `benchmarks: [basics]`; `sf bench ls` lists them",
              "请在 params 下写明，例如 `benchmarks: [basics]`；可用的评测包见 `sf bench ls`"),
    why=Text("Without one the job would load the model and end.",
             "没有评测包，任务加载完模型就会结束。"),
    bad="params: {limit: 20}", good="params: {benchmarks: [basics], limit: 20}",
)  # fmt: skip
UNKNOWN_BENCHMARK = rule(
    "eval/unknown-benchmark", "error",
    title=Text("Unknown benchmark", "未知的评测包"),
    message=Text("there is no benchmark `{name}`", "没有名为 `{name}` 的评测包"),
    hint=Text("known benchmarks: {known}", "已有的评测包：{known}"),
    why=Text("Benchmarks are packs that come with StarForge or lie in benchmarks/ of the lab.",
             "评测包要么是 StarForge 自带的，要么放在 lab 的 benchmarks/ 下。"),
    bad="benchmarks: [gms8k]", good="benchmarks: [gsm8k]",
)  # fmt: skip
NOT_A_NAME = rule(
    "eval/not-a-name", "error",
    title=Text("Benchmarks are chosen by name", "评测包应以名称指定"),
    message=Text("`{value}` is not the name of a benchmark", "`{value}` 不是评测包名称"),
    hint=Text("write a task of your own as a pack: benchmarks/NAME/pack.yaml in the lab",
              "自定义任务请写成评测包：lab 中的 benchmarks/名字/pack.yaml"),
    why=Text("A pack has a version, so that its scores can be compared.",
             "评测包带有版本，得分才能比较。"),
    bad="benchmarks: [{task: mine}]", good="benchmarks: [mine]",
)  # fmt: skip
BROKEN_PACK = rule(
    "eval/broken-pack", "error",
    title=Text("Benchmark pack can't be used", "评测包无法使用"),
    message=Text("{problem.en}", "{problem.zh}"),
    hint=Text("see docs/en/benchmarks.md for the form of a pack",
              "评测包的写法见 docs/zh/benchmarks.md"),
    why=Text("The job could not ask its questions.", "任务无法据此提问。"),
    bad="a pack.yaml without `primary`", good="primary: {metric: acc}",
)  # fmt: skip
NO_ITEMS = rule(
    "eval/no-items", "error",
    title=Text("Benchmark without items", "评测包缺少题目"),
    message=Text("the items of `{name}` are missing: {problem.en}",
                 "缺少 `{name}` 的题目：{problem.zh}"),
    hint=Text("{way.en}", "{way.zh}"),
    why=Text("There would be nothing to ask.", "没有题目可问。"),
    bad="data: {test: test.jsonl} in pack.yaml, and no such file beside it",
    good="benchmarks/mine/pack.yaml and benchmarks/mine/test.jsonl",
)  # fmt: skip
BAD_ITEMS = rule(
    "eval/bad-items", "error",
    title=Text("Items do not fit the benchmark", "题目与评测包不符"),
    message=Text("{file}, row {row}: {problem.en}", "{file} 第 {row} 行：{problem.zh}"),
    hint=Text("every row of `{name}` needs the columns {columns}",
              "`{name}` 的每一行都需要这些列：{columns}"),
    why=Text("The question is made from these columns.", "题目由这些列拼成。"),
    bad='{"problem": "1 + 1"}', good='{"question": "1 + 1", "answer": "2"}',
)  # fmt: skip
TEST_NOT_TAKEN = rule(
    "eval/test-not-taken", "error",
    title=Text("Nobody takes data.test", "data.test 没有去处"),
    message=Text("data.test is given, but {count} of the chosen benchmarks take rows of yours",
                 "给出了 data.test，但所选评测包中接受外部题目的有 {count} 个"),
    hint=Text("choose exactly one that does: {takers}", "请只选择其中一个：{takers}"),
    why=Text("Rows must belong to one benchmark, or a score would be of the wrong items.",
             "题目必须只对应一个评测包，否则得分会张冠李戴。"),
    bad="data: {test: my.jsonl} with benchmarks: [basics]",
    good="data: {test: my.jsonl} with benchmarks: [gsm8k]",
)  # fmt: skip
CODE_NOT_ALLOWED = rule(
    "eval/code-not-allowed", "error",
    title=Text("Benchmark runs generated code", "该评测包会运行模型生成的代码"),
    message=Text("`{name}` runs code that the model writes, with your rights",
                 "`{name}` 会以你的权限运行模型写出的代码"),
    hint=Text("set run_generated_code: true if this machine may do that",
              "若这台机器可以这样做，请设置 run_generated_code: true"),
    why=Text("Nobody has read that code, and there is no sandbox around it.",
             "这些代码没有人看过，也没有沙箱隔离。"),
    bad="benchmarks: [humaneval]", good="benchmarks: [humaneval]\nrun_generated_code: true",
)  # fmt: skip
NO_TEMPLATE = rule(
    "eval/no-chat-template", "error",
    title=Text("No chat template to apply", "没有可用的对话模板"),
    message=Text("{model} has no chat template", "{model} 没有对话模板"),
    hint=Text("set apply_chat_template: false to ask it without one",
              "若要不用模板提问，请设置 apply_chat_template: false"),
    why=Text("Base models have none; asked through one of another model they score badly.",
             "基座模型没有模板；套用别的模型的模板会压低得分。"),
    bad="model: a base model", good="apply_chat_template: false",
)  # fmt: skip
BASE_TASK = rule(
    "eval/base-task", "warning",
    title=Text("Task for base models, asked as a chat", "为基座模型设计的任务用了对话模板"),
    message=Text("`{name}` is lm-eval's `{task}`, which wants code continued; as a chat its "
                 "answers are not understood",
                 "`{name}` 用的是 lm-eval 的 `{task}`，它要求模型直接续写代码；"
                 "套用对话模板后无法正确读出回答"),
    hint=Text("for a chat model use a pack of your own with `hub.task: {instead}`; for a base "
              "model set `apply_chat_template: false`",
              "对话模型请自建评测包并设 `hub.task: {instead}`；"
              "基座模型请设 `apply_chat_template: false`"),
    why=Text("Even a good model then scores near 0, which says nothing about it.",
             "再好的模型得分也接近 0，而这个分数说明不了什么。"),
    bad="benchmarks: [humaneval]    # apply_chat_template is on",
    good="benchmarks: [humaneval]\napply_chat_template: false",
)  # fmt: skip
# Tasks of lm-eval for base models, and their form for chat models (lm_eval/tasks).
CHAT_TASKS = {
    "humaneval": "humaneval_instruct",
    "humaneval_64": "humaneval_64_instruct",
    "mbpp": "mbpp_instruct",
    "mbpp_plus": "mbpp_plus_instruct",
}
NEEDS_HUB = rule(
    "eval/needs-hub", "info",
    title=Text("Benchmark comes from a hub", "评测包需要从 hub 下载"),
    message=Text("`{name}` loads {dataset} from the hub when the job starts",
                 "`{name}` 会在任务启动时从 hub 读取 {dataset}"),
    hint=Text("the machine that runs the job must reach the hub, or have the dataset in its cache",
              "运行任务的机器要能访问 hub，或缓存中已有该数据集"),
    why=Text("Without it the job fails after loading the model.",
             "读不到时，任务会在加载模型之后失败。"),
    bad="benchmarks: [mmlu] on a machine without a network", good="benchmarks: [basics]",
)  # fmt: skip
