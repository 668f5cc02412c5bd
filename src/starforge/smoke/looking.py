"""What can be seen of an experiment that can't be started here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.lab.inputs import folder_digest
from starforge.plan import InputRef, LaunchPlan
from starforge.proofs import Case, prove
from starforge.proofs.environment import python_for
from starforge.smoke.standin import source_of


def folders_here(context: PrepareContext) -> dict[str, InputRef]:
    """Return the models by role, as folders where their config and tokenizer are here."""
    found = {}
    for ref in context.models:
        folder = source_of(ref)
        found[ref.name] = ref
        # A download of config and tokenizer alone would be taken for a damaged model.
        whole = folder is not None and any(folder.glob("*.safetensors"))
        if folder is not None and whole and ref.kind != "path":
            found[ref.name] = InputRef(
                name=ref.name, kind="path", location=str(folder), digest=folder_digest(folder)
            )
    return found


def settings_that_arrive(
    context: PrepareContext, plan: LaunchPlan, home: Path
) -> tuple[int, Text | None]:
    """Ask upstream's own parser, where it is at hand, whether it takes the plan.

    Returns how many settings were compared with what arrives there, and what is wrong.
    """
    python = python_for(context.recipe, home)
    if python is None:
        return 0, None
    case = Case(
        name=context.recipe.name, method=context.recipe.name,
        processes=[process.argv for process in plan.processes],
        files={
            file.path: file.content for file in plan.files
            if file.source == "generated" and file.content is not None
        },
        expect={one.path: one.value for one in plan.differs if _plain(one.value)},
    )  # fmt: skip
    try:
        (outcome,) = prove(context.recipe.framework, [case], python)
    except StarForgeError as error:
        return 0, error.message
    if outcome.ok:
        return outcome.checked, None
    said = outcome.problems[0]
    return outcome.checked, Text(
        f"{context.recipe.pin} refuses the configuration: {said}",
        f"{context.recipe.pin} 拒绝这份配置：{said}",
    )


def _plain(value: Any) -> bool:
    """Say whether a value means the same everywhere: no placeholder, no interpolation."""
    if isinstance(value, str):
        return "${" not in value
    if isinstance(value, list):
        return all(map(_plain, value))
    if isinstance(value, dict):
        return all(map(_plain, value.values()))
    return True
