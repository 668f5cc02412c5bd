"""What the pinned verl refuses, drops or never reads, as rules with examples."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

_ASSERT = Text("verl stops with an assertion when the job starts training.",
               "verl 开始训练时会因断言失败而停止。")  # fmt: skip

FEW_ROWS = rule(
    "verl/few-rows", "error",
    title=Text("Fewer rows than one batch", "数据不足一个批次"),
    message=Text("`data.{split}` has {rows} rows, fewer than one batch of {batch}",
                 "`data.{split}` 只有 {rows} 行，不足一个批次（{batch} 行）"),
    hint=Text("add rows, or lower `{name}`", "请增加数据，或调小 `{name}`"),
    why=Text("verl leaves out a batch that is not full, so nothing would be left.",
             "verl 会丢弃不满的批次，这样就一条数据也不剩。"),
    bad="params: {prompts_per_step: 1024}  # 8 rows", good="params: {prompts_per_step: 8}",
)  # fmt: skip
EPOCHS_END = rule(
    "verl/epochs-end", "error",
    title=Text("Epochs end before the steps", "遍数先于步数用完"),
    message=Text("`max_steps: {steps}` is never reached: {epochs} epochs give {given} steps",
                 "达不到 `max_steps: {steps}`：{epochs} 遍数据只有 {given} 步"),
    hint=Text("raise `epochs` to {wanted}, or lower `max_steps`",
              "请把 `epochs` 调到 {wanted}，或调小 `max_steps`"),
    why=Text("Training would end without the last validation and without its last checkpoint.",
             "训练会提前结束，不做最后的验证，也不保存最后的检查点。"),
    bad="params: {max_steps: 100, epochs: 1}", good="params: {max_steps: 100, epochs: 50}",
)  # fmt: skip
MINI_BATCH = rule(
    "verl/mini-batch", "error",
    title=Text("Mini-batch larger than the batch", "小批次大于批次"),
    message=Text("more than `prompts_per_step` ({batch}): {larger.en}",
                 "大于 `prompts_per_step`（{batch}）：{larger.zh}"),
    hint=Text("lower to {batch} or a divisor of it, or raise `prompts_per_step`",
              "请调小到 {batch} 或它的约数，或调大 `prompts_per_step`"),
    why=Text("verl refuses to start: one update can't take more prompts than were sampled.",
             "verl 会拒绝启动：一次更新用到的提示词不能多于采样的。"),
    bad="params: {prompts_per_step: 64, mini_batch_size: 256}",
    good="params: {prompts_per_step: 64, mini_batch_size: 32}",
)  # fmt: skip
UNEVEN = rule(
    "verl/uneven-batch", "error",
    title=Text("Batch that can't be divided", "批次无法整除"),
    message=Text("{what.en} ({number}) is not a multiple of {by.en} ({divisor})",
                 "{what.zh}（{number}）不是{by.zh}（{divisor}）的整数倍"),
    hint=Text("set {names.en} to {fits.en}", "请把 {names.zh} 设为 {fits.zh}"),
    why=_ASSERT,
    bad="params: {mini_batch_size: 6, group_size: 1, batch_size: 4}",
    good="params: {mini_batch_size: 8, group_size: 1, batch_size: 4}",
)  # fmt: skip
TOKEN_BUDGET = rule(
    "verl/token-budget", "error",
    title=Text("Token budget below one sequence", "词元预算不足一条序列"),
    message=Text("`max_tokens_per_device` is {budget}, and one sequence may have {longest} tokens",
                 "`max_tokens_per_device` 为 {budget}，而一条序列最长可达 {longest} 个词元"),
    hint=Text("raise it to {longest} or more, or shorten the sequences",
              "请调到 {longest} 以上，或缩短序列长度"),
    why=_ASSERT,
    bad="params: {dynamic_batch: true, max_tokens_per_device: 512, max_completion_tokens: 1024}",
    good="params: {dynamic_batch: true, max_tokens_per_device: 8192, max_completion_tokens: 1024}",
)  # fmt: skip
GPUS = rule(
    "verl/gpus", "error",
    title=Text("GPUs that can't be shared out", "GPU 无法分配"),
    message=Text("{problem.en}", "{problem.zh}"),
    hint=Text("choose another `resources`, or change `{name}`",
              "请更换 `resources`，或调整 `{name}`"),
    why=Text("verl would fail or wait forever for GPUs that the job does not have.",
             "verl 会失败，或一直等待任务并没有的 GPU。"),
    bad="resources: gpu:1\nparams: {teacher_gpus: 1}",
    good="resources: gpu:2\nparams: {teacher_gpus: 1}",
)  # fmt: skip
K1_GRADIENT = rule(
    "verl/k1-gradient", "error",
    title=Text("Distillation loss without a gradient", "蒸馏损失没有有效梯度"),
    message=Text("`distillation_loss: k1` needs `distillation_policy_gradient: true`",
                 "`distillation_loss: k1` 需要 `distillation_policy_gradient: true`"),
    hint=Text("set that, or take `k3`", "请设置它，或改用 `k3`"),
    why=Text("The gradient of k1 itself does not depend on the teacher; verl refuses to start.",
             "k1 本身的梯度与教师无关，verl 会拒绝启动。"),
    bad="params: {distillation_loss: k1}",
    good="params: {distillation_loss: k1, distillation_policy_gradient: true}",
)  # fmt: skip
TOPK_STRATEGY = rule(
    "verl/topk-strategy", "error",
    title=Text("Top-k distillation with this strategy", "该并行方式不支持 top-k 蒸馏"),
    message=Text("`distillation_loss: forward_kl_topk` works with `strategy: fsdp` only, "
                 "not with {strategy}",
                 "`distillation_loss: forward_kl_topk` 只支持 `strategy: fsdp`，不支持 {strategy}"),
    hint=Text("take `k3`, or a GPU profile with `strategy: fsdp`",
              "请改用 `k3`，或使用 GPU 配置并设 `strategy: fsdp`"),
    why=Text("verl 0.9.0 stops with NotImplementedError in the first update.",
             "verl 0.9.0 在第一次更新时会报 NotImplementedError。"),
    bad="params: {distillation_loss: forward_kl_topk, strategy: fsdp2}",
    good="params: {distillation_loss: forward_kl_topk, strategy: fsdp}",
)  # fmt: skip
TASK_REWARD = rule(
    "verl/task-reward", "error",
    title=Text("Task rewards without a reward", "任务奖励缺少奖励函数"),
    message=Text("`task_rewards` is on, but experiment.yaml names no `reward`",
                 "开启了 `task_rewards`，但 experiment.yaml 没有写 `reward`"),
    hint=Text("name a file with a function `reward`, or set `task_rewards: false`",
              "请写上含 `reward` 函数的文件，或设 `task_rewards: false`"),
    why=Text("Every reward would be 0 and teach nothing.", "所有奖励都会是 0，什么也学不到。"),
    bad="params: {task_rewards: true}", good="reward: reward.py\nparams: {task_rewards: true}",
)  # fmt: skip
REJECTION = rule(
    "verl/rejection", "error",
    title=Text("Rejection sampling that verl does not know", "verl 不支持的拒绝采样设置"),
    message=Text("{problem.en}", "{problem.zh}"),
    hint=Text("one or more of {known}, with `rollout_rs_threshold`",
              "可用 {known} 中的一个或多个（逗号分隔），并设 `rollout_rs_threshold`"),
    why=Text("The job would fail after its first sampling.", "任务会在第一次采样之后失败。"),
    bad="params: {rollout_rs: token}",
    good="params: {rollout_rs: token_k1, rollout_rs_threshold: \"0.5_2.0\"}",
)  # fmt: skip
IS_THRESHOLD = rule(
    "verl/is-threshold", "error",
    title=Text("Threshold that can't be read", "无法识别的阈值"),
    message=Text("`rollout_is_threshold` is `{value}`, neither a positive number nor `low_high`",
                 "`rollout_is_threshold` 为 `{value}`，既不是正数，也不是 `下限_上限`"),
    hint=Text("write 2.0 to cut (TIS) or \"0.5_5.0\" to drop (IcePop)",
              "截断（TIS）写 2.0，丢弃（IcePop）写 \"0.5_5.0\""),
    why=Text("The job would fail after its first sampling.", "任务会在第一次采样之后失败。"),
    bad="params: {rollout_is_threshold: \"5_0.5\"}",
    good="params: {rollout_is_threshold: \"0.5_5.0\"}",
)  # fmt: skip
DRO_BETA = rule(
    "verl/dro-beta", "error",
    title=Text("DRO without its penalty", "DRO 缺少惩罚系数"),
    message=Text("`policy_loss_mode: dro` needs a positive "
                 "`actor_rollout_ref.actor.policy_loss.dro_beta`",
                 "`policy_loss_mode: dro` 需要为正的 "
                 "`actor_rollout_ref.actor.policy_loss.dro_beta`"),
    hint=Text("set it in config.yaml", "请在 config.yaml 中设置"),
    why=Text("verl stops in the first update.", "verl 会在第一次更新时停止。"),
    bad="params: {policy_loss_mode: dro}",
    good="actor_rollout_ref: {actor: {policy_loss: {loss_mode: dro, dro_beta: 0.1}}}",
)  # fmt: skip
OVERLONG = rule(
    "verl/overlong-buffer", "error",
    title=Text("Overlong buffer beyond the limit", "超长缓冲区大于长度上限"),
    message=Text("`overlong_buffer` is {buffer}, more than `max_completion_tokens` ({limit})",
                 "`overlong_buffer` 为 {buffer}，大于 `max_completion_tokens`（{limit}）"),
    hint=Text("take about a quarter of the limit", "建议取上限的四分之一左右"),
    why=Text("verl refuses to start; the penalty grows over the last tokens before the limit.",
             "verl 会拒绝启动；惩罚是在上限前的最后一段词元内逐渐增大的。"),
    bad="params: {max_completion_tokens: 64, overlong_buffer: 128}",
    good="params: {max_completion_tokens: 512, overlong_buffer: 128}",
)  # fmt: skip
PADDING = rule(
    "verl/sequence-parallel", "error",
    title=Text("Sequence parallelism on padded rows", "序列并行需要去除填充"),
    message=Text("`sequence_parallel: {size}` needs `{key}: true`",
                 "`sequence_parallel: {size}` 需要 `{key}: true`"),
    hint=Text("set it, or `sequence_parallel: 1`", "请设置它，或把 `sequence_parallel` 设为 1"),
    why=Text("verl refuses to start.", "verl 会拒绝启动。"),
    bad="actor_rollout_ref: {model: {use_remove_padding: false}}\n"
        "params: {sequence_parallel: 2}",
    good="params: {sequence_parallel: 2}",
)  # fmt: skip
NO_VALIDATION = rule(
    "verl/validation-without-data", "error",
    title=Text("Validation without data", "验证没有数据"),
    message=Text("`{name}` asks for validation, but there is no `data.validation`",
                 "`{name}` 要求验证，但没有提供 `data.validation`"),
    hint=Text("add `validation` under `data`", "请在 `data` 下加上 `validation`"),
    why=Text("There are no rows to validate on.", "没有可用于验证的数据。"),
    bad="params: {validation_steps: 10}",
    good="data: {train: a.jsonl, validation: b.jsonl}\nparams: {validation_steps: 10}",
)  # fmt: skip
UNUSED_VALIDATION = rule(
    "verl/validation-unused", "warning",
    title=Text("Validation data that is not used", "验证数据没有用到"),
    message=Text("there is `data.validation`, but neither `validation_steps` nor "
                 "`validate_first` asks for it",
                 "提供了 `data.validation`，但 `validation_steps` 和 `validate_first` 都没有启用"),
    hint=Text("set `validation_steps: 10`", "请设 `validation_steps: 10`"),
    why=Text("There would be no validation curve.", "不会有验证曲线。"),
    bad="data: {train: a.jsonl, validation: b.jsonl}",
    good="data: {train: a.jsonl, validation: b.jsonl}\nparams: {validation_steps: 10}",
)  # fmt: skip
ZERO_INTERVAL = rule(
    "verl/zero-interval", "error",
    title=Text("Every zero steps", "间隔为零"),
    message=Text("`{name}` is 0", "`{name}` 为 0"),
    hint=Text("write -1 for never", "不需要时请写 -1"),
    why=Text("verl's supervised trainer divides by it and stops.",
             "verl 的监督训练器会用它作除数，随即报错停止。"),
    bad="params: {save_steps: 0}", good="params: {save_steps: -1}",
)  # fmt: skip
NOT_SAVED = rule(
    "verl/nothing-saved", "warning",
    title=Text("No checkpoint and no model", "不保存检查点和模型"),
    message=Text("with `save_steps: {value}` nothing is saved, not even at the end",
                 "`save_steps: {value}` 表示什么都不保存，训练结束时也不保存"),
    hint=Text("set `save_steps` to a positive number; the last step is then saved, too",
              "请把 `save_steps` 设为正数，最后一步也会随之保存"),
    why=Text("The job would end without a model.", "任务结束时不会留下模型。"),
    bad="params: {save_steps: -1}", good="params: {save_steps: 100}",
)  # fmt: skip
CPU_SETTING = rule(
    "verl/cpu-setting", "warning",
    title=Text("Set otherwise on a CPU profile", "CPU 配置下会被改写"),
    message=Text("on a CPU profile `{name}` is {value}: {reason.en}",
                 "CPU 配置下 `{name}` 固定为 {value}：{reason.zh}"),
    hint=Text("remove it for the CPU profile, or use a GPU profile",
              "请在 CPU 配置下去掉它，或使用 GPU 配置"),
    why=Text("verl is made for accelerators; a CPU profile is there to try an experiment out.",
             "verl 面向加速卡设计，CPU 配置只用于试跑实验。"),
    bad="resources: cpu:2\nparams: {strategy: fsdp}",
    good="resources: gpu:1\nparams: {strategy: fsdp}",
)  # fmt: skip
CPU_LIMIT = rule(
    "verl/cpu-limit", "error",
    title=Text("Not possible on a CPU profile", "CPU 配置下不支持"),
    message=Text("{what.en} does not work with verl on a CPU profile",
                 "verl 在 CPU 配置下不支持{what.zh}"),
    hint=Text("use a GPU profile", "请使用 GPU 配置"),
    why=Text("vLLM on a CPU can't do it; the job would fail after loading the model.",
             "CPU 版 vLLM 做不到，任务会在加载模型后失败。"),
    bad="resources: cpu:2\nparams: {lora_rank: 8}",
    good="resources: gpu:1\nparams: {lora_rank: 8}",
)  # fmt: skip
FILTER_MODEL = rule(
    "verl/filter-reward-model", "error",
    title=Text("Dynamic sampling with a reward model", "动态采样不能用奖励模型"),
    message=Text("dynamic sampling needs the reward while sampling, but a reward model scores "
                 "only afterwards",
                 "动态采样在采样时就需要奖励，而奖励模型要等采样结束才打分"),
    hint=Text("use a reward file, or set `dynamic_sampling: false`",
              "请改用奖励文件，或设 `dynamic_sampling: false`"),
    why=_ASSERT,
    bad="reward: job:ID\nparams: {dynamic_sampling: true}",
    good="reward: reward.py\nparams: {dynamic_sampling: true}",
)  # fmt: skip
DEAD_CLIP = rule(
    "verl/dead-clip", "error",
    title=Text("Clip range that is never read", "不会被读取的裁剪范围"),
    message=Text("`{name}` does nothing with the loss `{loss}`",
                 "损失为 `{loss}` 时 `{name}` 不起作用"),
    hint=Text("set {instead}", "请改设 {instead}"),
    why=Text("`clip_ratio` is read only by the losses {readers}; the others take `clip_low` and "
             "`clip_high`.",
             "只有损失 {readers} 读取 `clip_ratio`，其余读取 `clip_low` 和 `clip_high`。"),
    bad="actor_rollout_ref: {actor: {clip_ratio: 0.1}}",
    good="actor_rollout_ref: {actor: {clip_ratio_low: 0.1, clip_ratio_high: 0.1}}",
)  # fmt: skip
LONE_GROUP = rule(
    "verl/group-of-one", "warning",
    title=Text("Group of one", "每组只有一个回答"),
    message=Text("`{method}` compares the answers of a group, and `group_size` is 1",
                 "`{method}` 靠组内比较，而 `group_size` 为 1"),
    hint=Text("4 to 16 is usual", "常用 4 到 16"),
    why=Text("Without others to compare with there is no baseline.",
             "没有同伴可比，就没有基线。"),
    bad="params: {group_size: 1}", good="params: {group_size: 8}",
)  # fmt: skip
ENGINE = rule(
    "verl/engine", "warning",
    title=Text("Engine that the runtime does not hold", "运行环境中没有这个引擎"),
    message=Text("StarForge's runtime for verl holds vLLM, not {engine}",
                 "StarForge 的 verl 运行环境里装的是 vLLM，没有 {engine}"),
    hint=Text("set `rollout_engine: vllm`, unless your runtime or image has {engine}",
              "请设 `rollout_engine: vllm`，除非你的运行环境或镜像中有 {engine}"),
    why=Text("The job would fail when rollout starts.", "任务会在启动采样时失败。"),
    bad="params: {rollout_engine: sglang}", good="params: {rollout_engine: vllm}",
)  # fmt: skip
