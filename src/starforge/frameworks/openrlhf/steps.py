"""How many steps an OpenRLHF job takes, when it can be known before it runs."""

from __future__ import annotations

import math

from starforge.lab.context import PrepareContext


def total_steps(context: PrepareContext) -> int | None:
    """Return the steps that the curves will have; ``None`` when it can't be known.

    Only a row count that is part of the plan is used. Rows that upstream drops because
    their prompt is too long make it fewer, and so does the filter of dynamic sampling.
    """
    train = context.data.get("train")
    if train is None or not train.ref.rows:
        return None
    config = context.config
    rows = min(train.ref.rows, int(config.get("data.max_samples")))
    if context.recipe.config != "ppo":
        return rows // int(config.get("train.batch_size")) * int(config.get("train.max_epochs"))
    if config.get("algo.dynamic_filtering_enable"):
        return None
    per_pass = math.ceil(rows / int(config.get("rollout.batch_size")))
    return per_pass * int(config.get("train.num_episodes"))
