"""OpenRLHF: exactly as many rows as two batches take, since it counts passes, not steps."""

from __future__ import annotations

from starforge.frameworks.openrlhf import cpu
from starforge.i18n import Text
from starforge.smoke.shrink.sizes import COMPLETION, STEPS, Shrunk, Sizes

_FILTER = Text(
    "dynamic sampling: a random model's answers all get the same reward, so no group would stay",
    "动态采样：随机模型的回答奖励都相同，没有任何一组会被保留",
)
_GPU = Text("settings that need a GPU ({names})", "需要 GPU 的设置（{names}）")


def shrink(sizes: Sizes) -> Shrunk:
    """Return the settings of two batches, or of two rollouts."""
    sizes.set("epochs", 1)
    sizes.at_most("save_steps", -1)
    sizes.set("save_hf", False)
    sizes.set("log_steps", 1)
    _on_cpu(sizes)
    if sizes.validates and sizes.get("validation_steps") != -1:
        sizes.set("validation_steps", STEPS)
    return _rl(sizes) if sizes.context.recipe.config == "ppo" else _supervised(sizes)


def _supervised(sizes: Sizes) -> Shrunk:
    batch, micro = sizes.count("global_batch_size"), sizes.count("batch_size")
    sizes.at_most("batch_size", 2)
    small = sizes.count("batch_size") * sizes.ratio(batch, micro)
    sizes.set("global_batch_size", small)
    sizes.length("max_tokens")
    sizes.tokens = sizes.count("max_tokens")  # rows with a longer prompt are dropped
    sizes.set("max_rows", 1000)
    return sizes.done(rows=small * STEPS)


def _rl(sizes: Sizes) -> Shrunk:
    """Two rollouts of two prompts, each learned from in as many batches as theirs (at most 2)."""
    samples = sizes.count("prompts_per_step") * sizes.count("group_size")
    batches = sizes.ratio(samples, sizes.count("global_batch_size"))
    sizes.set("prompts_per_step", 2)
    sizes.at_most("group_size", 2)
    small = 2 * sizes.count("group_size")
    sizes.set("global_batch_size", small // batches)
    sizes.at_most("batch_size", max(1, small // batches // 2))
    sizes.at_most("logprob_batch_size", 2)
    sizes.set("generation_batch_size", None)
    sizes.off("dynamic_sampling", _FILTER)
    sizes.set("max_rows", 1000)
    own = sizes.get("max_completion_tokens")
    completion = min(COMPLETION, own) if isinstance(own, int) else COMPLETION
    sizes.set("max_completion_tokens", completion)
    sizes.at_most("reward.overlong_buffer_len", max(1, completion // 4))
    sizes.length("max_model_tokens")
    sizes.tokens = sizes.count("max_model_tokens") - completion  # longer prompts are dropped
    return sizes.done(rows=2 * STEPS)


def _on_cpu(sizes: Sizes) -> None:
    context = sizes.context
    names = {path: name for name, path in context.config.paths.items()}
    changed = []
    for path in (*cpu.NEEDS_GPU, *cpu.ONE_ONLY):
        value = sizes.get(path)
        to: object = 1 if path in cpu.ONE_ONLY else False
        if value not in (None, to, 0) and context.config.is_set_by_user(path):
            sizes.set(path, to)
            changed.append(names.get(path, path))
    for path, to in (("ds.attn_implementation", "sdpa"), ("ds.param_dtype", "bf16")):
        own = str(sizes.get(path))
        if ("flash" in own or own == "fp16") and context.config.is_set_by_user(path):
            sizes.set(path, to)
            changed.append(names.get(path, path))
    if changed:
        sizes.open.append(_GPU.format(names=", ".join(changed)))
