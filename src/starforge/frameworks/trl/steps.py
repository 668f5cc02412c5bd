"""How many steps a TRL job takes. Methods that sample completions count them, not rows."""

from __future__ import annotations

import math
from typing import NamedTuple

from starforge.checks import steps
from starforge.lab.context import PrepareContext


class Batches(NamedTuple):
    """The batch arithmetic of GRPO and RLOO, as the pinned configuration classes do it.

    ``a_pass``: completions of all devices in one forward pass. ``generated``: completions
    sampled at once. ``passes``: forward passes over one generated batch. ``group``:
    completions per prompt.
    """

    a_pass: int
    generated: int
    passes: int
    group: int

    @property
    def prompts(self) -> int:
        """Prompts that are sampled at once."""
        return self.generated // self.group


def batches(context: PrepareContext) -> Batches | None:
    """Return a method's batches; ``None`` when it does not sample, or they don't work out."""
    config = context.config
    a_pass = steps.rows_a_pass(context)
    if context.recipe.config == "opsd":
        passes = int(config.get("gradient_accumulation_steps"))
        return Batches(a_pass, a_pass * passes, passes, 1)
    group = config.get("num_generations")
    if not isinstance(group, int) or group < 1:
        return None
    generated = config.get("generation_batch_size")
    if generated is None:
        asked = config.get("steps_per_generation")
        passes = int(asked or config.get("gradient_accumulation_steps"))
        return Batches(a_pass, a_pass * passes, passes, group)
    return Batches(a_pass, int(generated), max(1, int(generated) // a_pass), group)


def total_steps(context: PrepareContext) -> int | None:
    """Return the number of optimizer steps, ``None`` when it can't be known.

    TRL leaves out prompts that do not fill a generated batch, and spreads each generated
    batch over ``passes`` forward passes, as many times as it is used.
    """
    planned = batches(context)
    max_steps = context.parameter("max_steps", -1)
    if planned is None or (isinstance(max_steps, int) and max_steps > 0):
        return steps.total_steps(context)
    train = context.data.get("train")
    if train is None or not train.ref.rows or not planned.prompts:
        return None
    uses = int(context.config.get("num_iterations", 1))
    passes = train.ref.rows // planned.prompts * planned.passes * uses
    a_pass = math.ceil(passes / int(context.parameter("gradient_accumulation", 1)))
    return math.ceil(float(context.parameter("epochs")) * a_pass)
