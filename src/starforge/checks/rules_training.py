"""Rules about training settings that fit each other, and the data."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

NO_STEPS = rule(
    "training/no-steps", "error",
    title=Text("Training without a step", "训练没有任何步数"),
    message=Text("with {settings} there is no optimizer step to take",
                 "按 {settings} 的设置，一个优化步也不会执行"),
    hint=Text("raise `epochs`, or set `max_steps`", "请调大 `epochs`，或设置 `max_steps`"),
    why=Text("The job would end with the model it started from.", "任务结束时模型毫无变化。"),
    bad="params: {epochs: 0}", good="params: {epochs: 1}",
)  # fmt: skip
VALIDATION_WITHOUT_DATA = rule(
    "training/validation-without-data", "error",
    title=Text("Validation without data", "评估没有数据"),
    message=Text("`validation_strategy` is `{strategy}`, but there is no `data.validation`",
                 "`validation_strategy` 为 `{strategy}`，但没有提供 `data.validation`"),
    hint=Text("add `validation` under `data`, or set `validation_strategy: \"no\"`",
              "请在 `data` 下加上 `validation`，或设 `validation_strategy: \"no\"`"),
    why=Text("The trainer refuses to start.", "训练器会拒绝启动。"),
    bad="data: {train: data/train.jsonl}\nparams: {validation_strategy: epoch}",
    good="data: {train: data/train.jsonl, validation: data/val.jsonl}\n"
         "params: {validation_strategy: epoch}",
)  # fmt: skip
VALIDATION_UNUSED = rule(
    "training/validation-unused", "warning",
    title=Text("Validation data that is not used", "验证数据没有用到"),
    message=Text("there is `data.validation`, but `validation_strategy` is `no`",
                 "提供了 `data.validation`，但 `validation_strategy` 为 `no`"),
    hint=Text("set `validation_strategy: epoch`, or `steps` with `validation_steps`",
              "请设 `validation_strategy: epoch`，或 `steps` 并给出 `validation_steps`"),
    why=Text("There would be no validation curve.", "不会有验证曲线。"),
    bad="data: {train: a.jsonl, validation: b.jsonl}",
    good="data: {train: a.jsonl, validation: b.jsonl}\nparams: {validation_strategy: epoch}",
)  # fmt: skip
SAVE_BEST = rule(
    "training/save-best", "error",
    title=Text("Best checkpoint can't be found", "无法确定最佳检查点"),
    message=Text("`save_best` needs {problem.en}", "`save_best` 要求{problem.zh}"),
    hint=Text("set `save_strategy` and `validation_strategy` alike, and `save_steps` to a multiple "
              "of `validation_steps`",
              "请让 `save_strategy` 与 `validation_strategy` 一致，`save_steps` 为 "
              "`validation_steps` 的整数倍"),
    why=Text("Only a checkpoint that was evaluated can be the best one.",
             "只有评估过的检查点才能比出最佳。"),
    bad="params: {save_best: true}",
    good="params: {save_best: true, validation_strategy: epoch, save_strategy: epoch}",
)  # fmt: skip
PRECISION_TWICE = rule(
    "training/precision", "error",
    title=Text("Two precisions at once", "同时设置了两种精度"),
    message=Text("`bf16` and `fp16` are both on", "`bf16` 与 `fp16` 同时开启"),
    hint=Text("keep `bf16`; `fp16` is for GPUs without it",
              "请保留 `bf16`；`fp16` 用于不支持它的 GPU"),
    why=Text("The trainer refuses to start.", "训练器会拒绝启动。"),
    bad="bf16: true\nfp16: true", good="bf16: true",
)  # fmt: skip
HALF_ON_CPU = rule(
    "training/half-precision-on-cpu", "warning",
    title=Text("Half precision on a CPU", "在 CPU 上使用半精度"),
    message=Text("`{key}` is on, but the job has no GPU", "`{key}` 已开启，但任务没有 GPU"),
    hint=Text("{way.en}", "{way.zh}"),
    why=Text("Most CPUs are slower in half precision, and fp16 does not work there at all. A CPU "
             "that has instructions for bfloat16 (AVX512-BF16, AMX) gains from bf16; there it is "
             "no finding.",
             "多数 CPU 用半精度反而更慢，fp16 则完全不能用。带 bfloat16 指令（AVX512-BF16、AMX）的 "
             "CPU 用 bf16 会更快，在这样的机器上不作提示。"),
    bad="resources: local\nparams: {bf16: true}", good="resources: gpu:1\nparams: {bf16: true}",
)  # fmt: skip
LEARNING_RATE = rule(
    "training/learning-rate", "warning",
    title=Text("Learning rate of an unusual order", "学习率的数量级不寻常"),
    message=Text("a learning rate of {value:g} is {side.en} for {kind.en}",
                 "对{kind.zh}来说，学习率 {value:g} {side.zh}"),
    hint=Text("usual are {usual}{other.en}", "常用范围是 {usual}{other.zh}"),
    why=Text("Too high, and the model is destroyed in a few steps; too low, and it learns nothing. "
             "LoRA wants about ten times the rate of training all weights.",
             "太高，几步之内模型就会崩坏；太低，则什么也学不到。LoRA 的学习率约为全参训练的十倍。"),
    bad="params: {lora: true, learning_rate: 1.0e-6}",
    good="params: {lora: true, learning_rate: 2.0e-4}",
)  # fmt: skip
ROUNDED_AWAY = rule(
    "training/rounded-away", "warning",
    title=Text("A learning rate that 16-bit weights don't feel", "16 位权重感受不到的学习率"),
    message=Text("the weights are held in {dtype}: of {whose.en}, {share} don't change when a "
                 "step of {rate:g} (the learning rate) is added",
                 "权重以 {dtype} 保存：{whose.zh}，有 {share} 加上一步 {rate:g}（学习率）后"
                 "毫无变化"),
    hint=Text("{fix.en}", "{fix.zh}"),
    why=Text("A bfloat16 number has 8 significant bits, so a change of less than |w|/512 to "
             "|w|/256 is rounded away, and it does not add up over steps. A step of AdamW is "
             "about as large as the learning rate: 1e-6 moves only weights below 0.0005. Where "
             "float32 copies of the weights are kept, small steps add up; computing in bfloat16 "
             "does no harm. TRL and verl keep none when they load the weights in 16 bit; NeMo-RL "
             "and OpenRLHF always do.",
             "bfloat16 只有 8 位有效位，小于 |w|/512 到 |w|/256 的变化会被舍入掉，多走几步也不会"
             "累积。AdamW 一步的大小约等于学习率：1e-6 只能改变小于 0.0005 的权重。保留一份 "
             "float32 权重，小步就能累积；用 bfloat16 计算则无妨。以 16 位加载权重时，TRL 和 verl "
             "没有这份副本，NeMo-RL 和 OpenRLHF 则始终保留。"),
    bad="params: {model_dtype: bfloat16, learning_rate: 1.0e-6}",
    good="params: {model_dtype: float32, bf16: true, learning_rate: 1.0e-6}",
)  # fmt: skip
WARMUP = rule(
    "training/long-warmup", "warning",
    title=Text("Warm-up longer than the training", "预热比训练还长"),
    message=Text("the warm-up (`{name}`) takes {warmup:g} steps, but the training only {total}",
                 "预热（`{name}`）需要 {warmup:g} 步，而训练总共只有 {total} 步"),
    hint=Text("take about a twentieth of the training", "建议取训练步数的二十分之一左右"),
    why=Text("The learning rate would never reach its peak.", "学习率永远达不到峰值。"),
    bad="params: {max_steps: 50, warmup_steps: 100}",
    good="params: {max_steps: 50, warmup_steps: 3}",
)  # fmt: skip
FEW_LOGS = rule(
    "training/few-logs", "warning",
    title=Text("Training that is not logged", "训练过程没有记录"),
    message=Text("`{name}` is {every:g}, but the training takes only {total} steps",
                 "`{name}` 为 {every:g}，而训练总共只有 {total} 步"),
    hint=Text("set `{name}: 1`", "请设 `{name}: 1`"),
    why=Text("There would be no curve, and a NaN loss would go unnoticed.",
             "不会有曲线，出现 NaN 损失也发现不了。"),
    bad="params: {max_steps: 5, log_steps: 10}", good="params: {max_steps: 5, log_steps: 1}",
)  # fmt: skip
NO_CHECKPOINT = rule(
    "training/no-checkpoint", "warning",
    title=Text("Training without a checkpoint", "训练过程中没有检查点"),
    message=Text("`{name}` is {every}, but the training takes only {total} steps",
                 "`{name}` 为 {every}，而训练总共只有 {total} 步"),
    hint=Text("set `{name}` to {total} or less", "请把 `{name}` 设为 {total} 或更小"),
    why=Text("Only the finished model would be written: a job that is interrupted starts over.",
             "只会写出最终模型，任务一旦中断就得从头开始。"),
    bad="params: {epochs: 1, save_steps: 1000}  # openrlhf/sft, 100 steps",
    good="params: {epochs: 1, save_steps: 50}",
)  # fmt: skip
NEVER_VALIDATED = rule(
    "training/never-validated", "warning",
    title=Text("Validation that never runs", "评估一次也不会执行"),
    message=Text("`{name}` is {every}, but the training takes only {total} steps, so "
                 "`data.validation` is never looked at",
                 "`{name}` 为 {every}，而训练总共只有 {total} 步，`data.validation` 不会被用到"),
    hint=Text("set `{name}` to {total} or less", "请把 `{name}` 设为 {total} 或更小"),
    why=Text("There would be no validation curve.", "不会有验证曲线。"),
    bad="data: {train: a.jsonl, validation: b.jsonl}\n"
        "params: {max_steps: 50, validation_steps: 100}  # nemo-rl/rm",
    good="data: {train: a.jsonl, validation: b.jsonl}\n"
         "params: {max_steps: 50, validation_steps: 10}",
)  # fmt: skip
MANY_CHECKPOINTS = rule(
    "training/many-checkpoints", "warning",
    title=Text("Checkpoints that fill the disk", "检查点可能占满磁盘"),
    message=Text("{count} × {each} GB{more} = {total} GB of checkpoints ({sum.en}){room.en}",
                 "检查点共占 {count} × {each} GB{more} = {total} GB（{sum.zh}）{room.zh}"),
    hint=Text("lower `{limit}`, or raise `{every}`", "请调小 `{limit}`，或调大 `{every}`"),
    why=Text("A full disk ends the training in the middle of a checkpoint.",
             "磁盘写满时，训练会在写检查点的中途失败。"),
    bad="params: {save_steps: 20, save_limit: null}",
    good="params: {save_steps: 500, save_limit: 1}",
)  # fmt: skip
DO_NOT_FIT = rule(
    "training/lengths", "warning",
    title=Text("Sequences longer than their limit", "序列超过长度上限"),
    message=Text("{parts} tokens don't fit into `{holder}` {limit}",
                 "{parts} 个词元超过了 `{holder}` {limit}"),
    hint=Text("raise `{holder}`, or remove it", "请调大或去掉 `{holder}`"),
    why=Text("The engine that samples answers cuts them short, or refuses a prompt that leaves no "
             "room.",
             "采样引擎会把回答截短；提示占满上限时则会拒绝请求。"),
    bad="actor_rollout_ref: {rollout: {max_model_len: 512}}\n"
        "params: {max_prompt_tokens: 512, max_completion_tokens: 512}",
    good="actor_rollout_ref: {rollout: {max_model_len: 1024}}\n"
         "params: {max_prompt_tokens: 512, max_completion_tokens: 512}",
)  # fmt: skip
LOSS_DATA = rule(
    "training/loss-needs-columns", "error",
    title=Text("Loss that the data can't give", "数据不支持这种损失范围"),
    message=Text("`{key}` needs rows with {needed.en}", "`{key}` 要求数据行带有 {needed.zh}"),
    hint=Text("change the data, or switch `{key}` off", "请调整数据，或关掉 `{key}`"),
    why=Text("The framework can't tell which tokens belong to the answer, and refuses to start.",
             "框架无法区分哪些词元属于回答，会拒绝启动。"),
    bad='params: {assistant_only: true} with {"text": "..."}',
    good='params: {assistant_only: true} with {"messages": [...]}',
)  # fmt: skip
