"""When NeMo-RL saves and validates, and what a checkpoint of it holds."""

from __future__ import annotations

from starforge.checks.schedule import ADAM, MASTER, Checkpoint, Interval, Schedule
from starforge.frameworks.nemo_rl.settle import LORA, algorithm
from starforge.frameworks.nemo_rl.steps import total_steps
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
        validates=any(others),
    )  # fmt: skip
