"""verl: two steps of two prompts, with mini-batches in the experiment's own ratio.

What differs on a CPU profile besides is ``frameworks/verl/cpu.py``'s.
"""

from __future__ import annotations

from starforge.frameworks.verl.settings import is_sft
from starforge.i18n import Text
from starforge.smoke.shrink.sizes import COMPLETION, STEPS, Shrunk, Sizes

EPOCHS = 100  # far more than two steps take, however many rows are filtered out
MICRO = ("batch_size", "logprob_batch_size", "reference_batch_size", "critic_batch_size",
         "critic.forward_micro_batch_size_per_gpu")  # fmt: skip
_FILTER = Text(
    "dynamic sampling: a random model's answers all get the same reward, so no group would stay",
    "动态采样：随机模型的回答奖励都相同，没有任何一组会被保留",
)
_LORA = Text("LoRA together with sampling", "采样时的 LoRA")
_REWARD_MODEL = Text(
    "anything that runs: verl has no reward model on a CPU",
    "实际运行：verl 在 CPU 上不支持奖励模型",
)
_GPUS = Text("how the job is divided among GPUs", "任务在多张 GPU 上的划分")
_OFFLOAD = Text("offloading to the CPU's memory", "卸载到内存")


def shrink(sizes: Sizes) -> Shrunk:
    """Return the settings of the supervised trainer, or of the others."""
    sizes.set("max_steps", STEPS)
    sizes.set("epochs", EPOCHS)
    sizes.set("save_steps", -1)
    sizes.set("max_rows", -1)
    for name in ("sequence_parallel", "rollout_tensor_parallel", "teacher_tensor_parallel",
                 "teacher_gpus", "processes"):  # fmt: skip
        sizes.off(name, _GPUS, 1)
    for name in ("offload_params", "offload_optimizer", "activation_offload",
                 "critic_offload_params", "critic_offload_optimizer"):  # fmt: skip
        sizes.off(name, _OFFLOAD)
    sizes.set("dynamic_batch", False)
    sizes.set("validate_first", False)
    if sizes.validates and ((sizes.get("validation_steps") or 0) != -1):
        sizes.set("validation_steps", STEPS)
    sizes.set("validation_limit", -1)
    return _supervised(sizes) if is_sft(sizes.context) else _rl(sizes)


def _supervised(sizes: Sizes) -> Shrunk:
    batch, micro = sizes.count("global_batch_size"), sizes.count("batch_size")
    parts = sizes.ratio(batch, micro)
    sizes.set("global_batch_size", 2)
    sizes.set("batch_size", 2 // parts)
    sizes.length("max_tokens")
    return sizes.done(rows=2 * STEPS)


def _rl(sizes: Sizes) -> Shrunk:
    reward = sizes.context.reward
    if reward is not None and reward.model is not None:
        sizes.open.append(_REWARD_MODEL)
        return sizes.done(mode="look", rows=2 * STEPS)
    prompts = _batches(sizes)
    sizes.off("dynamic_sampling", _FILTER)
    sizes.off("lora_rank", _LORA, 0)
    completion = min(COMPLETION, sizes.count("max_completion_tokens", COMPLETION))
    sizes.set("max_completion_tokens", completion)
    sizes.length("max_prompt_tokens", less=completion)
    if sizes.get("filter_long_prompts"):  # the longest rows are those that are not filtered out
        sizes.tokens = sizes.count("max_prompt_tokens")
    sizes.at_most("overlong_buffer", max(1, completion // 4))
    sizes.set("actor_rollout_ref.rollout.max_model_len", None)
    sizes.at_most("rollout_max_sequences", 16)
    return sizes.done(rows=prompts * STEPS)


def _batches(sizes: Sizes) -> int:
    """Set prompts and mini-batches; return the prompts of a step.

    A batch that theirs does not divide stays so: three prompts in mini-batches of two.
    """
    prompts, mini = sizes.count("prompts_per_step"), sizes.count("mini_batch_size")
    critic = sizes.count("critic_mini_batch_size") if sizes.has("critic_mini_batch_size") else mini
    if prompts % mini or prompts % critic:
        small, parts = 3, {True: 2, False: 3}
        sizes.set("mini_batch_size", parts[bool(prompts % mini)])
        sizes.set("critic_mini_batch_size", parts[bool(prompts % critic)])
    else:
        small = 2
        sizes.set("mini_batch_size", 2 // sizes.ratio(prompts, mini))
        sizes.set("critic_mini_batch_size", 2 // sizes.ratio(prompts, critic))
    sizes.set("prompts_per_step", small)
    sizes.at_most("group_size", 2)
    for name in MICRO:
        sizes.at_most(name, 1)
    return small
