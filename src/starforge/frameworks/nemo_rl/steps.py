"""How many steps a NeMo-RL job takes."""

from __future__ import annotations

from starforge.frameworks.nemo_rl.settle import algorithm, has_rollouts
from starforge.lab.context import PrepareContext

ENDLESS = 100_000  # upstream's default files have no shorter way to say "until the epochs end"


def rows_a_step(context: PrepareContext) -> int:
    """Return how many rows of data one step takes."""
    config = context.config
    if not has_rollouts(context):
        return int(config.get("policy.train_global_batch_size") or 1)
    section = algorithm(context)
    prompts = int(config.get(f"{section}.num_prompts_per_step") or 1)
    if config.get(f"{section}.use_dynamic_sampling"):
        return int(prompts * float(config.get(f"{section}.batch_multiplier") or 1))
    return prompts


def updates_a_step(context: PrepareContext) -> int:
    """Return how many updates of the weights one step takes."""
    config, section = context.config, algorithm(context)
    if not has_rollouts(context):
        return 1
    answers = int(config.get(f"{section}.num_prompts_per_step") or 1) * int(
        config.get(f"{section}.num_generations_per_prompt") or 1
    )
    return max(1, answers // int(config.get("policy.train_global_batch_size") or 1))


def steps_an_epoch(context: PrepareContext) -> int | None:
    """Return the steps of one pass over the data; the rest of a batch is left out, as upstream."""
    train = context.data.get("train")
    return None if train is None or not train.ref.rows else train.ref.rows // rows_a_step(context)


def total_steps(context: PrepareContext) -> int | None:
    """Return the steps of the job, ``None`` when it can't be known before it runs."""
    section, config = algorithm(context), context.config
    limit = int(config.get(f"{section}.max_num_steps") or -1)
    a_pass = steps_an_epoch(context)
    if config.get(f"{section}.use_dynamic_sampling") or a_pass is None:
        return limit if 0 < limit < ENDLESS else None
    whole = a_pass * int(config.get(f"{section}.max_num_epochs") or 1)
    return min(whole, limit) if limit > 0 else whole
