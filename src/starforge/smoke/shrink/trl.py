"""TRL: two steps of a few rows, with groups and accumulation as in the experiment."""

from __future__ import annotations

from starforge.i18n import Text
from starforge.smoke.shrink.sizes import COMPLETION, STEPS, Shrunk, Sizes

SAMPLING = ("grpo", "rloo")
_KERNELS = Text("kernels that need a GPU", "需要 GPU 的算子")
_ATTENTION = Text("the attention implementation of the GPU", "GPU 上的注意力实现")
_COMPILE = Text("torch.compile", "torch.compile")
_SHARDED = Text("sharding with DeepSpeed or FSDP", "DeepSpeed 或 FSDP 的切分")
_OFFLOAD = Text("offloading of activations", "激活值卸载")
_QUANTIZED = Text("quantized weights", "量化权重")


def shrink(sizes: Sizes) -> Shrunk:
    """Return the settings: batches of two, and what needs a GPU switched off."""
    sizes.set("max_steps", STEPS)
    sizes.set("logging_strategy", "steps")
    sizes.set("log_steps", 1)
    sizes.set("save_strategy", "no")
    sizes.set("save_best", False)
    sizes.at_most("gradient_accumulation", 2)
    sampling = sizes.context.recipe.config in SAMPLING
    # Two prompts a step, where each has two answers.
    sizes.at_most("batch_size", 4 if sampling and sizes.count("gradient_accumulation") == 1 else 2)
    sizes.length("max_tokens")
    _on_cpu(sizes)
    if sampling:
        return _sampling(sizes)
    sizes.at_most("max_completion_tokens", COMPLETION)
    _validation(sizes, 2)
    # Exactly as many rows as the steps take, so that each of them is seen.
    rows = STEPS * sizes.count("batch_size") * sizes.count("gradient_accumulation")
    return sizes.done(rows=rows)


def _sampling(sizes: Sizes) -> Shrunk:
    """Two generations, each used for as many optimizer steps as theirs (at most two)."""
    passes = sizes.count("gradient_accumulation")
    theirs = sizes.context.config
    own = sizes.get("generation_batch_size")
    if own:
        device = int(theirs.get("per_device_train_batch_size") or 1)
        whole = own // max(1, device * max(1, sizes.context.resources.gpus))
    else:
        own_passes = int(theirs.get("gradient_accumulation_steps") or 1)
        whole = int(sizes.get("steps_per_generation") or own_passes)
    reused = sizes.ratio(whole, int(theirs.get("gradient_accumulation_steps") or 1))
    sizes.set("generation_batch_size", None)
    if reused > 1 or sizes.get("steps_per_generation"):
        sizes.set("steps_per_generation", passes * reused)
    generated = sizes.count("batch_size") * passes * reused
    if generated % 2:  # an odd batch in one pass: a group is two answers here
        sizes.set("batch_size", 2)
        generated = 2 * passes * reused
    sizes.set("group_size", 2)
    sizes.at_most("max_completion_tokens", COMPLETION)
    if sizes.get("validation_samples"):
        sizes.set("validation_samples", 2)
    _validation(sizes, 2)
    updates = sizes.count("updates_per_batch")
    steps = STEPS * reused * updates
    sizes.set("max_steps", steps)
    return sizes.done(rows=STEPS * generated // 2, steps=steps)


def _validation(sizes: Sizes, batch: int) -> None:
    """Where they validate, do so once, at the last step."""
    sizes.set("eval_on_start", False)
    if sizes.validates and sizes.get("validation_strategy") not in ("no", None):
        sizes.set("validation_strategy", "steps")
        sizes.set("validation_steps", STEPS)
        sizes.set("eval_delay", 0)
        sizes.set("validation_batch_size", batch)


def _on_cpu(sizes: Sizes) -> None:
    sizes.off("use_liger_kernel", _KERNELS)
    sizes.off("torch_compile", _COMPILE)
    sizes.off("activation_offloading", _OFFLOAD)
    sizes.off("load_in_4bit", _QUANTIZED)
    sizes.off("load_in_8bit", _QUANTIZED)
    sizes.off("deepspeed", _SHARDED, None)
    if sizes.get("fsdp"):
        sizes.off("fsdp", _SHARDED, None)
    if "flash" in str(sizes.get("attention")):
        sizes.off("attention", _ATTENTION, "sdpa")
    if "8bit" in str(sizes.get("optim")) or "paged" in str(sizes.get("optim")):
        what = Text(f"the optimizer {sizes.get('optim')}", f"优化器 {sizes.get('optim')}")
        sizes.off("optim", what, "adamw_torch")
