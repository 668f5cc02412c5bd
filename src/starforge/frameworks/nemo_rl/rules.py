"""The rules of NeMo-RL's checks. What exactly is wrong stands in each finding's ``problem``."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

_MESSAGE = Text("{problem.en}", "{problem.zh}")

BATCH = rule(
    "nemo-rl/batch", "error",
    title=Text("Batches that don't divide", "批量不能整除"),
    message=_MESSAGE,
    hint=Text("change one of the numbers so that they divide evenly",
              "请调整其中一个数，使其能够整除"),
    why=Text("NeMo-RL splits every batch evenly over devices and passes, and stops where it "
             "can't.",
             "NeMo-RL 会把每批数据平均分到各卡和各次前向计算，分不匀就会报错退出。"),
    bad="params: {prompts_per_step: 8, group_size: 4, global_batch_size: 48}",
    good="params: {prompts_per_step: 8, group_size: 4, global_batch_size: 32}",
)  # fmt: skip
FEW_ROWS = rule(
    "nemo-rl/few-rows", "error",
    title=Text("Fewer rows than one batch", "数据不足一批"),
    message=Text("the training data has {rows} rows, and a step takes {needed}",
                 "训练数据只有 {rows} 条，而一步需要 {needed} 条"),
    hint=Text("give more data, or lower `{parameter}`", "请增加数据，或调小 `{parameter}`"),
    why=Text("Upstream leaves out the rest of a batch, so the job would end without one step.",
             "上游会舍弃不满一批的数据，任务会一步也不训练就结束。"),
    bad="8 rows with global_batch_size: 128", good="8 rows with global_batch_size: 4",
)  # fmt: skip
PARALLEL = rule(
    "nemo-rl/parallel", "error",
    title=Text("Parallelism that does not fit the GPUs", "并行设置与 GPU 数不符"),
    message=_MESSAGE,
    hint=Text("ask for another number of GPUs in `resources`, or lower the parallel sizes",
              "请在 `resources` 中申请其他数量的 GPU，或调小并行数"),
    why=Text("Each copy of a model takes the product of its parallel sizes; the GPUs must hold a "
             "whole number of copies.",
             "每份模型占用的 GPU 数是各并行数的乘积，总 GPU 数须是它的整数倍。"),
    bad="resources: gpu:2 with tensor_parallel: 4", good="resources: gpu:4 with tensor_parallel: 4",
)  # fmt: skip
BACKEND = rule(
    "nemo-rl/backend", "error",
    title=Text("Two backends, or none", "训练后端冲突"),
    message=_MESSAGE,
    hint=Text("switch on exactly one of `{first}` and `{second}`",
              "`{first}` 与 `{second}` 只能开启其中一个"),
    why=Text("NeMo-RL trains with DTensor or with Megatron and refuses both at once.",
             "NeMo-RL 用 DTensor 或 Megatron 训练，不能同时开启。"),
    bad="policy: {megatron_cfg: {enabled: true}}",
    good="policy: {megatron_cfg: {enabled: true}, dtensor_cfg: {enabled: false}}",
)  # fmt: skip
OTHER_BACKEND = rule(
    "nemo-rl/other-backend", "error",
    title=Text("Key of the backend that is off", "设置了未启用后端的键"),
    message=Text("`{key}` belongs to {backend}, which is off, so it does nothing",
                 "`{key}` 属于 {backend}，而该后端未启用，设置了也不起作用"),
    hint=Text("remove it, set the key of the other backend, or switch {backend} on",
              "请删除它，改设另一后端的键，或启用 {backend}"),
    why=Text("Each backend has its own optimizer, schedule and parallel sizes.",
             "两种后端各有自己的优化器、学习率曲线和并行设置。"),
    bad="policy: {megatron_cfg: {optimizer: {lr: 1.0e-6}}}    # Megatron is off",
    good="policy: {optimizer: {kwargs: {lr: 1.0e-6}}}",
)  # fmt: skip
LOSS = rule(
    "nemo-rl/loss", "error",
    title=Text("Loss settings that exclude each other", "损失设置互相冲突"),
    message=_MESSAGE,
    why=Text("Upstream asserts it when the loss is built, after models were loaded.",
             "上游在构建损失时检查，那时模型都已加载。"),
    bad="params: {cispo: true, dual_clip: 3}", good="params: {cispo: true}",
)  # fmt: skip
ROLLOUT = rule(
    "nemo-rl/rollout", "error",
    title=Text("Rollout settings that exclude each other", "采样设置互相冲突"),
    message=_MESSAGE,
    why=Text("Upstream asserts it when the job starts.", "上游在任务启动时检查。"),
    bad="params: {batch_multiplier: 2}",
    good="params: {batch_multiplier: 2, dynamic_sampling: true}",
)  # fmt: skip
MODEL = rule(
    "nemo-rl/model", "error",
    title=Text("Model settings that exclude each other", "模型设置互相冲突"),
    message=_MESSAGE,
    why=Text("Upstream refuses it when it sets up the model.", "上游在准备模型时会拒绝。"),
    bad="params: {dynamic_batch: true, sequence_packing: true}",
    good="params: {dynamic_batch: true, sequence_packing: false}",
)  # fmt: skip
CRITIC = rule(
    "nemo-rl/critic", "error",
    title=Text("What the DTensor critic can't do", "DTensor 评论家不支持的设置"),
    message=Text("`{key}: {value}` is not supported by the DTensor critic",
                 "DTensor 评论家不支持 `{key}: {value}`"),
    hint=Text("leave it as upstream has it, or train the critic with Megatron",
              "请保持上游默认值，或用 Megatron 训练评论家"),
    why=Text("Upstream refuses it when the job starts.", "上游在任务启动时会拒绝。"),
    bad="value: {sequence_packing: {enabled: true}}",
    good="value: {sequence_packing: {enabled: false}}",
)  # fmt: skip
VALIDATION = rule(
    "nemo-rl/validation", "error",
    title=Text("Nothing to validate with", "没有可用于验证的数据"),
    message=_MESSAGE,
    hint=Text("add what is missing, or remove this setting", "请补上缺少的内容，或删除该设置"),
    why=Text("Upstream stops when validation is switched on without it.",
             "开启验证却没有数据时，上游会报错退出。"),
    bad="validation_steps: 10 without data.validation",
    good="validation_steps: 10 with data: {validation: data/validation.jsonl}",
)  # fmt: skip
VALIDATION_UNUSED = rule(
    "nemo-rl/validation-unused", "warning",
    title=Text("Validation data that is not used", "验证数据没有用到"),
    message=Text("there is `data.validation`, but none of `validation_steps`, `validate_first` and "
                 "`validate_last` asks for it",
                 "提供了 `data.validation`，但 `validation_steps`、`validate_first` 和 "
                 "`validate_last` 都没有启用"),
    hint=Text("set `validation_steps: 10`", "请设 `validation_steps: 10`"),
    why=Text("There would be no validation curve.", "不会有验证曲线。"),
    bad="data: {train: a.jsonl, validation: b.jsonl}\nparams: {validation_steps: 0}",
    good="data: {train: a.jsonl, validation: b.jsonl}\nparams: {validation_steps: 10}",
)  # fmt: skip
METRIC = rule(
    "nemo-rl/save-metric", "error",
    title=Text("Metric that does not exist", "指标不存在"),
    message=_MESSAGE,
    hint=Text("use one of: {known}", "可用的指标：{known}"),
    why=Text("Upstream fails at the first checkpoint, when it looks the metric up.",
             "上游在保存第一个检查点、查找该指标时才会报错。"),
    bad="save_metric: accuracy", good="save_metric: val:accuracy",
)  # fmt: skip
SAVE_FORMAT = rule(
    "nemo-rl/save-format", "error",
    title=Text("Checkpoint format of the other worker", "检查点格式属于另一版工作进程"),
    message=Text("`{key}` works with the second DTensor worker only, and this job has the first",
                 "`{key}` 只适用于第二版 DTensor 工作进程，而该任务用的是第一版"),
    hint=Text("remove it, or set `policy.dtensor_cfg._v2: true` in config.yaml",
              "请删除它，或在 config.yaml 中设 `policy.dtensor_cfg._v2: true`"),
    why=Text("The first worker refuses it when it saves.", "第一版工作进程在保存时会拒绝。"),
    bad="checkpointing: {model_save_format: safetensors}    # nemo-rl/dpo",
    good="policy: {dtensor_cfg: {_v2: true}}\ncheckpointing: {model_save_format: safetensors}",
)  # fmt: skip
REWARD = rule(
    "nemo-rl/reward", "error",
    title=Text("Reward that NeMo-RL can't use", "NeMo-RL 无法使用的奖励"),
    message=_MESSAGE,
    why=Text("Without a reward there is nothing to learn from.", "没有奖励就无从学习。"),
    bad="reward: job:1a2b", good="reward: reward.py",
)  # fmt: skip
MISSING_KEY = rule(
    "nemo-rl/missing-key", "error",
    title=Text("Needed key taken away by `_override_`", "`_override_` 去掉了必需的键"),
    message=Text("`_override_` in `{section}` takes away {keys}, which upstream needs",
                 "`{section}` 中的 `_override_` 去掉了上游必需的 {keys}"),
    hint=Text("write these keys into the section, or remove `_override_`",
              "请在该节中写上这些键，或删除 `_override_`"),
    why=Text("A section with `_override_` starts empty.", "带 `_override_` 的节从空白开始。"),
    bad="grpo: {_override_: true, num_prompts_per_step: 8}",
    good="grpo: {num_prompts_per_step: 8}",
)  # fmt: skip
