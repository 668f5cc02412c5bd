"""Rules about reinforcement learning with the pinned OpenRLHF."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

REWARD = rule(
    "openrlhf/reward", "error",
    title=Text("No reward, or two", "没有奖励，或有两个"),
    message=Text("{problem.en}", "{problem.zh}"),
    hint=Text("set `reward` in experiment.yaml to a Python file with a function `reward`, or to a "
              "reward model (`job:ID` of an openrlhf/rm job)",
              "请在 experiment.yaml 里把 `reward` 设为含 `reward` 函数的 Python 文件，"
              "或奖励模型（openrlhf/rm 任务的 `job:ID`）"),
    why=Text("Without a reward there is nothing to learn from.", "没有奖励就没有学习目标。"),
    bad="method: openrlhf/grpo", good="method: openrlhf/grpo\nreward: reward.py",
)  # fmt: skip
REWARD_MODEL = rule(
    "openrlhf/reward-model", "error",
    title=Text("Model without a score", "不会打分的模型"),
    message=Text("`{model}` has no scoring layer: it is not a reward model",
                 "`{model}` 没有打分层，不是奖励模型"),
    hint=Text("train one with openrlhf/rm and name its job (`job:ID`), or write a reward function",
              "请用 openrlhf/rm 训练一个并写上任务（`job:ID`），或编写奖励函数"),
    why=Text("OpenRLHF would add a scoring layer with random weights without a message, and the "
             "model would be trained towards noise.",
             "OpenRLHF 会默默加上一个随机的打分层，模型学到的只是噪声。"),
    bad="reward: starforge:tiny", good="reward: job:ab12",
)  # fmt: skip
NEEDS_FUNCTION = rule(
    "openrlhf/needs-reward-function", "error",
    title=Text("Only with a reward function", "只支持奖励函数"),
    message=Text("{what.en} works with a reward function only, and `reward` is a model",
                 "{what.zh}只支持奖励函数，而 `reward` 是模型"),
    why=Text("OpenRLHF refuses to start: a reward model scores answers only in training steps.",
             "OpenRLHF 会拒绝启动：奖励模型只在训练步中打分。"),
    bad="reward: job:ab12\nparams: {dynamic_sampling: true}",
    good="reward: reward.py\nparams: {dynamic_sampling: true}",
)  # fmt: skip
FILTERING = rule(
    "openrlhf/dynamic-sampling", "error",
    title=Text("Dynamic sampling that keeps nothing", "动态采样什么都留不下"),
    message=Text("`dynamic_sampling` needs {needs.en}", "`dynamic_sampling` 需要{needs.zh}"),
    why=Text("OpenRLHF refuses to start.", "OpenRLHF 会拒绝启动。"),
    bad="params: {dynamic_sampling: true, dynamic_sampling_range: [1, 0]}",
    good="params: {dynamic_sampling: true, dynamic_sampling_range: [0, 1]}",
)  # fmt: skip
ROLLOUT_BATCH = rule(
    "openrlhf/rollout-batch", "error",
    title=Text("Rollout smaller than one update", "采样量不足一次更新"),
    message=Text("a rollout has {samples} completions ({prompts} × {group}), fewer than "
                 "`global_batch_size: {batch}`",
                 "每次采样 {samples} 个回答（{prompts} × {group}），少于 "
                 "`global_batch_size: {batch}`"),
    hint=Text("set `global_batch_size` to {samples} or a divisor of it",
              "请把 `global_batch_size` 设为 {samples} 或它的约数"),
    why=Text("No update would happen in a step: gradients would pile up over several rollouts.",
             "这样一步之内不会更新参数，梯度会跨多次采样累积。"),
    bad="params: {prompts_per_step: 8, group_size: 4, global_batch_size: 128}",
    good="params: {prompts_per_step: 8, group_size: 4, global_batch_size: 32}",
)  # fmt: skip
ROLLOUT_REST = rule(
    "openrlhf/rollout-remainder", "warning",
    title=Text("Completions that no update uses fully", "采样量不是更新批量的整数倍"),
    message=Text("{samples} completions of a rollout are not a multiple of "
                 "`global_batch_size: {batch}`",
                 "每次采样的 {samples} 个回答不是 `global_batch_size: {batch}` 的整数倍"),
    why=Text("The rest is carried into the next step, where it belongs to an older model.",
             "余下的部分会并入下一步，而那时模型已经变了。"),
    bad="params: {prompts_per_step: 6, group_size: 4, global_batch_size: 16}",
    good="params: {prompts_per_step: 8, group_size: 4, global_batch_size: 16}",
)  # fmt: skip
ROLLOUT_SPLIT = rule(
    "openrlhf/rollout-split", "error",
    title=Text("Too few batches for all processes", "批次数少于进程数"),
    message=Text("{samples} completions in batches of {micro} are fewer batches than the "
                 "{processes} training processes{where.en}",
                 "{samples} 个回答按每批 {micro} 个划分，"
                 "批次数少于 {processes} 个训练进程{where.zh}"),
    hint=Text("lower `logprob_batch_size`, or raise `prompts_per_step`",
              "请调小 `logprob_batch_size`，或调大 `prompts_per_step`"),
    why=Text("OpenRLHF stops with an error, since every process must get a batch.",
             "每个进程都必须分到一批，否则 OpenRLHF 会报错退出。"),
    bad="params: {prompts_per_step: 1, group_size: 2, logprob_batch_size: 2}    # gpu:8",
    good="params: {prompts_per_step: 16, group_size: 2, logprob_batch_size: 2}",
)  # fmt: skip
LENGTHS = rule(
    "openrlhf/lengths", "error",
    title=Text("No room for the prompt", "没有留给提示的长度"),
    message=Text("`max_completion_tokens: {completion}` leaves nothing of `max_model_tokens: "
                 "{total}` for the prompt",
                 "`max_completion_tokens: {completion}` 占满了 `max_model_tokens: {total}`，"
                 "没有留给提示的长度"),
    hint=Text("`max_model_tokens` is the length of prompt and completion together",
              "`max_model_tokens` 是提示与回答的总长度"),
    why=Text("Prompts would be cut down to nothing.", "提示会被截断到什么都不剩。"),
    bad="params: {max_model_tokens: 512, max_completion_tokens: 512}",
    good="params: {max_model_tokens: 1024, max_completion_tokens: 512}",
)  # fmt: skip
OVERLONG = rule(
    "openrlhf/overlong", "error",
    title=Text("Overlong buffer longer than the completion", "超长缓冲区比回答还长"),
    message=Text("`overlong_buffer: {buffer}` is more than the {limit} tokens of a completion",
                 "`overlong_buffer: {buffer}` 超过了回答的 {limit} 个词元上限"),
    why=Text("OpenRLHF stops in the first step.", "OpenRLHF 会在第一步中断。"),
    bad="params: {max_completion_tokens: 256, overlong_buffer: 512}",
    good="params: {max_completion_tokens: 1024, overlong_buffer: 256}",
)  # fmt: skip
ASYNC = rule(
    "openrlhf/async", "error",
    title=Text("Setting that asynchronous rollout decides", "与异步采样冲突的设置"),
    message=Text("`{key}` {problem.en}", "`{key}` {problem.zh}"),
    why=Text("OpenRLHF refuses to start.", "OpenRLHF 会拒绝启动。"),
    bad="params: {partial_rollout: true}",
    good="params: {partial_rollout: true, async_rollout: true}",
)  # fmt: skip
LAYOUT = rule(
    "openrlhf/layout", "error",
    title=Text("GPUs that can't be divided this way", "GPU 无法这样划分"),
    message=Text("{problem.en}", "{problem.zh}"),
    hint=Text("{way.en}", "{way.zh}"),
    why=Text("OpenRLHF refuses to start, or waits for GPUs that never come.",
             "OpenRLHF 会拒绝启动，或一直等待不存在的 GPU。"),
    bad="resources: gpu:4\nparams: {rollout_engines: 3}",
    good="resources: gpu:4\nparams: {rollout_engines: 2, rollout_tensor_parallel: 2}",
)  # fmt: skip
CLIP_TWICE = rule(
    "openrlhf/clip", "error",
    title=Text("Clip range given twice", "裁剪范围给了两次"),
    message=Text("`clip_range` does nothing beside `clip_low_high`",
                 "设置了 `clip_low_high`，`clip_range` 就不起作用"),
    hint=Text("remove one of them", "请去掉其中一个"),
    why=Text("OpenRLHF takes the pair and ignores the single number.",
             "OpenRLHF 只用成对的那个，忽略单个数。"),
    bad="params: {clip_range: 0.1, clip_low_high: [0.2, 0.28]}",
    good="params: {clip_low_high: [0.2, 0.28]}",
)  # fmt: skip
VALIDATION_UNUSED = rule(
    "openrlhf/validation-unused", "warning",
    title=Text("Validation data that is not used", "验证数据没有用到"),
    message=Text("`data.validation` is given, but `validation_steps: {steps}` never validates",
                 "提供了 `data.validation`，但 `validation_steps: {steps}` 表示从不验证"),
    hint=Text("set `validation_steps` to a number of steps", "请把 `validation_steps` 设为步数"),
    why=Text("In reinforcement learning OpenRLHF validates only when told how often.",
             "强化学习中，只有给出间隔 OpenRLHF 才会验证。"),
    bad="data: {train: train.jsonl, validation: test.jsonl}",
    good="data: {train: train.jsonl, validation: test.jsonl}\nparams: {validation_steps: 10}",
)  # fmt: skip
