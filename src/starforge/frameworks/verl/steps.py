"""How many steps a verl job takes, as far as that follows from the experiment."""

from __future__ import annotations

from starforge.lab.context import PrepareContext

BATCH = "data.train_batch_size"


def rows_of(context: PrepareContext, split: str = "train") -> int | None:
    """Return the number of rows that are part of the plan, after ``max_rows``; or ``None``."""
    source = context.data.get(split)
    if source is None or not source.ref.rows:
        return None
    name = "data.train_max_samples" if split == "train" else "data.val_max_samples"
    most = context.config.get(name)
    return min(source.ref.rows, most) if most and most > 0 else source.ref.rows


def filters_rows(context: PrepareContext) -> bool:
    """Say whether verl may drop rows that only a tokenizer can tell."""
    return bool(context.config.get("data.filter_overlong_prompts"))


def steps_of_epochs(context: PrepareContext) -> int | None:
    """Return the most steps that the epochs give; verl leaves out a last batch that isn't full."""
    rows, batch = rows_of(context), context.config.get(BATCH)
    epochs = context.config.get("trainer.total_epochs")
    if rows is None or not batch or not epochs:
        return None
    return int(epochs) * (rows // int(batch))


def total_steps(context: PrepareContext) -> int | None:
    """Return the number of steps, ``None`` when only the running job knows it."""
    limit = context.config.get("trainer.total_training_steps")
    if limit:
        return int(limit)
    return None if filters_rows(context) else steps_of_epochs(context) or None
