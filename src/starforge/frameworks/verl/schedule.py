"""When verl saves and validates, and what a checkpoint of it holds."""

from __future__ import annotations

from starforge.checks.schedule import ADAM, HALF, Checkpoint, Interval, Schedule
from starforge.frameworks.verl.settings import is_sft
from starforge.frameworks.verl.steps import steps_of_epochs, total_steps
from starforge.lab.context import PrepareContext


def schedule(context: PrepareContext) -> Schedule:
    """Return the schedule of a verl job.

    The supervised trainer saves and validates at the last step in any case, the others only
    where they save and validate at all. With LoRA the whole model is saved, too.
    """
    config, sft = context.config, is_sft(context)
    optim = "optim" if sft else "actor_rollout_ref.actor.optim"
    every, tested = "trainer.save_freq", config.get("trainer.test_freq") or 0
    keep = "trainer.max_ckpt_to_keep" if sft else "trainer.max_actor_ckpt_to_keep"
    kept = config.get(keep)
    return Schedule(
        # What is filtered out makes it fewer steps; without a limit that is not known.
        total=total_steps(context) or steps_of_epochs(context),
        save=Interval(every, _steps(config.get(every))),
        save_last=sft or (_steps(config.get(every)) or 0) > 0,
        kept=int(kept) if kept else None, keep_key=keep,
        checkpoint=_checkpoint(context, sft),
        validate=Interval("trainer.test_freq", tested), validates=tested > 0,
        warmup=Interval(f"{optim}.lr_warmup_steps", config.get(f"{optim}.lr_warmup_steps")),
    )  # fmt: skip


def _steps(value: object) -> float | None:
    """Return an interval in steps; verl also knows `after_each_epoch`."""
    return value if isinstance(value, int | float) else None


def _checkpoint(context: PrepareContext, sft: bool) -> Checkpoint:
    config = context.config
    contents, kind, rank = (
        ("checkpoint.save_contents", "engine.model_dtype", "model.lora_rank") if sft else
        ("actor_rollout_ref.actor.checkpoint.save_contents",
         "actor_rollout_ref.actor.fsdp_config.model_dtype", "actor_rollout_ref.model.lora_rank")
    )  # fmt: skip
    saved = config.get(contents) or []
    one = 2 if str(config.get(kind)) in HALF else 4
    weights = one * ("model" in saved) + 2 * ("hf_model" in saved)
    return Checkpoint(
        weights=weights, optimizer=(ADAM if one == 4 else 4) * ("optimizer" in saved),
        lora=bool(config.get(rank)),
        models=2 if context.recipe.algorithm == "ppo" else 1,
    )  # fmt: skip
