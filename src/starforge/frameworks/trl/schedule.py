"""When TRL saves, validates and logs, and what a checkpoint of it holds."""

from __future__ import annotations

from starforge.checks.schedule import ADAM, HALF, Checkpoint, Interval, Schedule
from starforge.frameworks.trl.steps import total_steps
from starforge.lab.context import PrepareContext


def schedule(context: PrepareContext) -> Schedule:
    """Return the schedule of a TRL job.

    TRL loads weights in 32 bit unless told otherwise, and keeps Adam's moments in the type of
    the weights. Of LoRA only the adapter is saved. The last step is saved with any strategy.
    """
    config = context.config
    strategies = config.get("save_strategy"), config.get("eval_strategy")
    saving, validating = (str(one) == "steps" for one in strategies)
    half = str(config.get("dtype")) in HALF
    weights, optimizer = (2, 4) if half else (4, ADAM)
    if config.get("save_only_model"):
        optimizer = 0
    lora = bool(config.get("use_peft"))
    return Schedule(
        total=total_steps(context),
        save=Interval("save_steps", config.get("save_steps") if saving else None),
        save_last=saving, kept=config.get("save_total_limit"), keep_key="save_total_limit",
        checkpoint=Checkpoint(weights=0 if lora else weights, optimizer=optimizer, lora=lora),
        # By steps it also validates at the end, however long the interval.
        validate=Interval("eval_delay", config.get("eval_delay")) if validating else None,
        validates=bool(config.get("eval_on_start")),
        warmup=Interval("warmup_steps", config.get("warmup_steps")),
        log=Interval("logging_steps", config.get("logging_steps")),
    )  # fmt: skip
