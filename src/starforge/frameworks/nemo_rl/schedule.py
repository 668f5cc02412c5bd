"""When NeMo-RL saves and validates, and what a checkpoint of it holds."""

from __future__ import annotations

from starforge.checks.schedule import ADAM, MASTER, Checkpoint, Interval, Schedule
from starforge.frameworks.nemo_rl.settle import LORA, algorithm
from starforge.frameworks.nemo_rl.steps import total_steps, updates_a_step
from starforge.lab.context import PrepareContext


def schedule(context: PrepareContext) -> Schedule:
    """Return the schedule of a NeMo-RL job.

    The last step is always saved, and the newest checkpoint stays beside the best ones. The
    DTensor workers keep weights in 32 bit; Megatron has 16-bit ones and a 32-bit copy.
    """
    config, section = context.config, algorithm(context)
    enabled = bool(config.get("checkpointing.enabled"))
    every, best = "checkpointing.save_period", config.get("checkpointing.keep_top_k")
    megatron = bool(config.get("policy.megatron_cfg.enabled"))
    optimizer = ADAM + (MASTER if megatron else 0)
    others = (config.get(f"{section}.val_at_start"), config.get(f"{section}.val_at_end"))
    return Schedule(
        total=total_steps(context),
        save=Interval(every, config.get(every) if enabled else None), save_last=enabled,
        kept=int(best) + 1 if best else None, keep_key="checkpointing.keep_top_k",
        checkpoint=Checkpoint(
            weights=2 if megatron else 4,
            optimizer=optimizer if config.get("checkpointing.save_optimizer") else 0,
            lora=bool(config.get(f"{LORA}.enabled")), models=2 if section == "ppo" else 1,
        ),
        validate=Interval(f"{section}.val_period", config.get(f"{section}.val_period")),
        validates=any(others), warmup=_warmup(context, megatron),
    )  # fmt: skip


def _warmup(context: PrepareContext, megatron: bool) -> Interval | None:
    """Return the steps over which the learning rate rises, where the author chose such a schedule.

    DTensor takes PyTorch's schedulers: the first one may be a LinearLR that begins low. That of
    upstream's default file is longer than most trials, and no choice of the author's.
    """
    key = "policy.megatron_cfg.scheduler.lr_warmup_iters" if megatron else "policy.scheduler"
    value = context.config.get(key) if context.config.is_set_by_user(key) else None
    if megatron:
        # Counted in updates, of which a step with rollouts may take several.
        return Interval(key, value / updates_a_step(context) if isinstance(value, int) else None)
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict) or not str(first.get("name")).endswith("LinearLR"):
        return None
    own = first.get("kwargs") or {}
    steps, low, high = (own.get(name) for name in ("total_iters", "start_factor", "end_factor"))
    rises = isinstance(low, int | float) and low < (high if isinstance(high, int | float) else 1)
    return Interval(key, steps) if rises and isinstance(steps, int) else None
