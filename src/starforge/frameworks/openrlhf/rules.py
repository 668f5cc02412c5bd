"""Rules about settings that the pinned OpenRLHF refuses, changes or never reads."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

BATCH = rule(
    "openrlhf/batch", "error",
    title=Text("Batch that can't be divided", "批量无法整除"),
    message=Text("a step of {batch} rows can't be split into passes of {micro} rows on "
                 "{processes} process(es)",
                 "每步 {batch} 个样本，无法按每次 {micro} 个分到 {processes} 个进程上"),
    hint=Text("make `global_batch_size` a multiple of {unit}",
              "请把 `global_batch_size` 设为 {unit} 的倍数"),
    why=Text("DeepSpeed refuses to start: passes and processes must make up a step exactly.",
             "DeepSpeed 会拒绝启动：各进程的各次前向必须恰好凑成一步。"),
    bad="params: {global_batch_size: 6, batch_size: 4}",
    good="params: {global_batch_size: 8, batch_size: 4}",
)  # fmt: skip
FEW_ROWS = rule(
    "openrlhf/few-rows", "error",
    title=Text("Fewer rows than one step takes", "数据不够一步"),
    message=Text("{rows} rows make no step of {batch}",
                 "{rows} 行数据凑不满一步（{batch} 个样本）"),
    hint=Text("lower `global_batch_size` to {rows} or less",
              "请把 `global_batch_size` 降到 {rows} 或更小"),
    why=Text("OpenRLHF leaves out rows that don't fill a step, and ends with an error when none "
             "is left.", "OpenRLHF 会舍去凑不满一步的行，一步都凑不满就报错退出。"),
    bad="params: {global_batch_size: 128}    # with 64 rows",
    good="params: {global_batch_size: 16}",
)  # fmt: skip
ZERO_STEPS = rule(
    "openrlhf/zero-steps", "error",
    title=Text("Every 0 steps", "每隔 0 步"),
    message=Text("`{key}` is 0, which OpenRLHF divides by",
                 "`{key}` 为 0，而 OpenRLHF 会拿它作除数"),
    hint=Text("write -1 for never", "不需要时请写 -1"),
    why=Text("The job would end with a division by zero after its first step.",
             "任务会在第一步之后因除以零而退出。"),
    bad="params: {save_steps: 0}", good="params: {save_steps: -1}",
)  # fmt: skip
NO_EFFECT = rule(
    "openrlhf/no-effect", "warning",
    title=Text("Setting that does nothing here", "在这里不起作用的设置"),
    message=Text("`{key}` does nothing {without.en}", "{without.zh}时，`{key}` 不起作用"),
    why=Text("A setting that is silently ignored makes a run look like one it is not.",
             "被静默忽略的设置会让人误以为它生效了。"),
    bad="params: {async_queue: 2}", good="params: {async_queue: 2, async_rollout: true}",
)  # fmt: skip
FLASH = rule(
    "openrlhf/flash-attention", "error",
    title=Text("Packed sequences without FlashAttention", "打包序列但未使用 FlashAttention"),
    message=Text("{setting} works with FlashAttention only, but `attention` is `{value}`",
                 "{setting} 只支持 FlashAttention，而 `attention` 是 `{value}`"),
    hint=Text("leave `attention` out, or switch {setting} off",
              "请去掉 `attention`，或关闭 {setting}"),
    why=Text("OpenRLHF would print a warning and take flash_attention_2 all the same.",
             "OpenRLHF 只会打印一条警告，然后照样改用 flash_attention_2。"),
    bad="params: {sequence_packing: true, attention: sdpa}",
    good="params: {sequence_packing: true}",
)  # fmt: skip
RING = rule(
    "openrlhf/sequence-parallel", "error",
    title=Text("Parallelism that can't run", "并行设置无法运行"),
    message=Text("`{name}: {size}` needs {needs.en}", "`{name}: {size}` 需要{needs.zh}"),
    why=Text("OpenRLHF refuses to start, or divides by a number of processes that is 0.",
             "OpenRLHF 会拒绝启动，或得到为 0 的进程数。"),
    bad="params: {sequence_parallel: 2}",
    good="params: {sequence_parallel: 2, sequence_packing: true}",
)  # fmt: skip
NEEDS_BF16 = rule(
    "openrlhf/needs-bf16", "error",
    title=Text("fp16 where bf16 is needed", "需要 bf16 却用了 fp16"),
    message=Text("`{key}` works with bf16 only", "`{key}` 只支持 bf16"),
    hint=Text("leave `precision` at bf16", "请让 `precision` 保持 bf16"),
    why=Text("OpenRLHF refuses to start.", "OpenRLHF 会拒绝启动。"),
    bad="params: {tensor_parallel: 2, precision: fp16}", good="params: {tensor_parallel: 2}",
)  # fmt: skip
NEEDS_GPU = rule(
    "openrlhf/needs-gpu", "error",
    title=Text("Setting that needs a GPU", "需要 GPU 的设置"),
    message=Text("`{key}: {value}` needs a GPU", "`{key}: {value}` 需要 GPU"),
    hint=Text("remove it, or ask for GPUs with `resources: gpu:1`",
              "请删除它，或用 `resources: gpu:1` 申请 GPU"),
    why=Text("OpenRLHF is made for GPUs; without one only its plain settings run.",
             "OpenRLHF 面向 GPU，没有 GPU 时只有基本设置能运行。"),
    bad="params: {sequence_packing: true}    # resources: local",
    good="resources: gpu:1\nparams: {sequence_packing: true}",
)  # fmt: skip
MUON_NORM = rule(
    "openrlhf/muon-norm", "warning",
    title=Text("Muon with clipped gradients", "muon 与梯度裁剪同用"),
    message=Text("`max_grad_norm: {value}` nearly stops muon",
                 "`max_grad_norm: {value}` 会让 muon 几乎不更新"),
    hint=Text("set `max_grad_norm: 0` with muon", "使用 muon 时请设 `max_grad_norm: 0`"),
    why=Text("DeepSpeed clips after muon's own normalization, so every update is scaled down "
             "by a factor of hundreds.",
             "DeepSpeed 在 muon 自身的归一化之后才裁剪，每次更新都会缩小几百倍。"),
    bad="params: {optimizer: muon}", good="params: {optimizer: muon, max_grad_norm: 0}",
)  # fmt: skip
DATA_FORM = rule(
    "openrlhf/data-form", "error",
    title=Text("Data that these settings don't read", "数据与设置不匹配"),
    message=Text("{file} holds {found.en}, but {setting.en}",
                 "{file} 是{found.zh}，但{setting.zh}"),
    hint=Text("{way.en}", "{way.zh}"),
    why=Text("The job would train on something else than the text meant, or stop at the first "
             "row.", "任务会学到错误的文本，或在第一行就中断。"),
    bad="params: {apply_chat_template: false}    # with rows of messages",
    good="params: {apply_chat_template: true}",
)  # fmt: skip
MULTITURN = rule(
    "openrlhf/multiturn", "error",
    title=Text("Loss on every turn without turns", "没有回合却要计算每个回合的损失"),
    message=Text("`multiturn_loss` needs `apply_chat_template`, without `pretrain_mode`",
                 "`multiturn_loss` 需要开启 `apply_chat_template`，且不能同时开启 `pretrain_mode`"),
    why=Text("Turns are found by the chat template; OpenRLHF refuses to start without it.",
             "回合由对话模板划分，没有模板时 OpenRLHF 会拒绝启动。"),
    bad="params: {multiturn_loss: true, apply_chat_template: false}",
    good="params: {multiturn_loss: true}",
)  # fmt: skip
INPUT_TEMPLATE = rule(
    "openrlhf/input-template", "error",
    title=Text("Input template that is not used", "不会用到的输入模板"),
    message=Text("`input_template` is set, but {problem.en}",
                 "设置了 `input_template`，但{problem.zh}"),
    why=Text("OpenRLHF drops it without an error.", "OpenRLHF 会直接丢弃它，不报错。"),
    bad='params: {input_template: "Question:"}',
    good='params: {input_template: "Question: {}", apply_chat_template: false}',
)  # fmt: skip
SMALL_VALIDATION = rule(
    "openrlhf/small-validation", "warning",
    title=Text("Validation data too small for one pass", "验证数据不够一次前向"),
    message=Text("{rows} validation rows don't fill one pass of {needed}, so nothing is evaluated",
                 "{rows} 行验证数据凑不满一次前向（{needed} 行），因此不会有任何评估"),
    hint=Text("lower `batch_size`, or give at least {needed} rows",
              "请调小 `batch_size`，或至少提供 {needed} 行"),
    why=Text("OpenRLHF drops the last pass when it isn't full, without a message.",
             "OpenRLHF 会默默丢弃不满的最后一次前向。"),
    bad="params: {batch_size: 8}    # with 4 validation rows", good="params: {batch_size: 2}",
)  # fmt: skip
MARGIN = rule(
    "openrlhf/margin", "error",
    title=Text("Margin that is not there", "没有可用的 margin"),
    message=Text("`margin_loss` needs {needs.en}", "`margin_loss` 需要{needs.zh}"),
    why=Text("OpenRLHF would take a margin of 0 without a message.",
             "OpenRLHF 会默默把 margin 当作 0。"),
    bad="params: {margin_loss: true, loss_type: logexp}", good="params: {margin_loss: true}",
)  # fmt: skip
