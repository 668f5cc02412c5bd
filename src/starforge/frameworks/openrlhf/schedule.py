"""When OpenRLHF saves and validates, and what a checkpoint of it holds."""

from __future__ import annotations

from starforge.checks.schedule import ADAM, MASTER, Checkpoint, Interval, Schedule
from starforge.frameworks.openrlhf.steps import total_steps
from starforge.lab.context import PrepareContext


def schedule(context: PrepareContext) -> Schedule:
    """Return the schedule of an OpenRLHF job.

    DeepSpeed saves the 16-bit weights, and with Adam's moments a 32-bit copy of what is
    trained. At the end the model is written, but no checkpoint. Reward models are validated
    after every epoch anyway.
    """
    config = context.config
    half = config.get("ds.param_dtype") in ("bf16", "fp16")
    states = 0 if config.get("ckpt.disable_ds") else (2 if half else 4)
    own = config.get("ckpt.save_hf")
    most = int(config.get("ckpt.max_num") or 1)
    critic = context.recipe.config == "ppo" and config.get("algo.advantage.estimator") == "gae"
    return Schedule(
        total=total_steps(context),
        save=Interval("ckpt.save_steps", config.get("ckpt.save_steps")),
        kept=most, keep_key="ckpt.max_num",
        checkpoint=Checkpoint(
            weights=states + (2 if own else 0),
            optimizer=(ADAM + (MASTER if half else 0)) if states else 0,
            lora=bool(config.get("ds.lora.rank")), models=2 if critic else 1,
        ),
        validate=Interval("eval.steps", config.get("eval.steps")),
        validates=context.recipe.config == "rm",
        log=Interval("logger.logging_steps", config.get("logger.logging_steps")),
    )  # fmt: skip
