"""Whether a checkpoint that a stage takes from another (``STAGE@best``) can be there."""

from __future__ import annotations

from starforge import frameworks
from starforge.catalog.models import Recipe
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.prepare import Prepared


def why_not(giver: Prepared, which: str) -> Text | None:
    """Return why a stage will leave no ``best`` or ``step-N``, as far as it can be known.

    Only model folders can be chosen: a framework whose checkpoints are such says itself which
    there will be (``why_not(context, which)`` of it). A script may leave anything.
    """
    recipe, context = giver.recipe, giver.context
    if recipe is None or context is None:
        return None
    if which == "best" and not _measured(recipe):
        return Text("its method has no validation metric", "它的方法没有验证指标")
    return None if recipe.framework == "custom" else _by_framework(recipe, context, which)


def _measured(recipe: Recipe) -> bool:
    return any(
        one.name.startswith("validation/") and one.goal in ("higher", "lower")
        for one in recipe.metrics
    )


def _by_framework(recipe: Recipe, context: PrepareContext, which: str) -> Text | None:
    judge = getattr(frameworks.get(recipe.framework), "why_not", None)
    if judge is None:
        return Text("its checkpoints are no model folders", "它的检查点不是模型目录")
    said: Text | None = judge(context, which)
    return said
