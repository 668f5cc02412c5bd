"""When OpenRLHF saves and validates, and what a checkpoint of it holds."""

from __future__ import annotations

from starforge.checks.schedule import ADAM, MASTER, Checkpoint, Interval, Schedule
from starforge.frameworks.openrlhf.steps import total_steps
from starforge.lab.context import PrepareContext


def schedule(context: PrepareContext) -> Schedule:
    """Return the schedule of an OpenRLHF job.

    DeepSpeed saves the 16-bit weights, and with Adam's moments a 32-bit copy of what is
    trained. At the end the model is written, but no checkpoint. Reward models are validated
    after every epoch anyway. With ``ckpt.save_hf`` the policy is written once more beside each
    checkpoint; the driver deletes those with it, but not those of checkpoints that were the best
    for a while.
    """
    config, rl = context.config, context.recipe.config == "ppo"
    half = config.get("ds.param_dtype") in ("bf16", "fp16")
    states = 0 if config.get("ckpt.disable_ds") else (2 if half else 4)
    own = config.get("ckpt.save_hf")
    critic = rl and config.get("algo.advantage.estimator") == "gae"
    total = total_steps(context)
    validation = Interval("eval.steps", config.get("eval.steps"))
    tests = (total or 0) // (validation.steps(total) or (total or 0) + 1)
    best = (
        rl
        and "validation" in context.data
        and tests
        and (config.get("ckpt.best_metric_key") != "none")
    )
    return Schedule(
        total=total,
        save=Interval("ckpt.save_steps", config.get("ckpt.save_steps")),
        kept=int(config.get("ckpt.max_num") or 1), keep_key="ckpt.max_num",
        best=bool(best), exports=tests - 1 if best and own else 0,
        checkpoint=Checkpoint(
            weights=states, export=2 if own else 0,
            optimizer=(ADAM + (MASTER if half else 0)) if states else 0,
            lora=bool(config.get("ds.lora.rank")), models=2 if critic else 1,
        ),
        validate=validation,
        validates=context.recipe.config == "rm",
        log=Interval("logger.logging_steps", config.get("logger.logging_steps")),
    )  # fmt: skip
