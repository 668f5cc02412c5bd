"""How many optimizer steps a training job takes, when it can be known before it runs."""

from __future__ import annotations

import math

from starforge.lab.context import PrepareContext


def total_steps(context: PrepareContext) -> int | None:
    """Return the number of optimizer steps, ``None`` when it can't be known.

    Only a row count that is part of the plan is used, because a plan must come out the same
    wherever it is made. With packing the number of sequences is known after tokenizing.
    """
    if context.recipe.parameter("epochs") is None:
        return None
    max_steps = context.parameter("max_steps", -1)
    if isinstance(max_steps, int) and max_steps > 0:
        return max_steps
    if context.recipe.parameter("group_size") is not None:
        return None  # the steps of methods that sample completions are their framework's to count
    train = context.data.get("train")
    if train is None or not train.ref.rows or context.parameter("packing"):
        return None
    passes = train.ref.rows / rows_a_pass(context)
    whole = math.floor(passes) if context.config.get("dataloader_drop_last") else math.ceil(passes)
    steps = math.ceil(whole / int(context.parameter("gradient_accumulation", 1)))
    return math.ceil(float(context.parameter("epochs")) * (max(1, steps) if whole else 0))


def rows_a_pass(context: PrepareContext) -> int:
    """Return how many rows all devices take in one forward pass."""
    return int(context.parameter("batch_size", 1)) * max(1, context.resources.gpus)
