"""Which interpreter proves a framework on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from starforge.catalog.models import Recipe
from starforge.frameworks.base import module_name
from starforge.runtimes import find
from starforge.runtimes.spec import DEVICES, names

NEMO_RL_SOURCE = "STARFORGE_NEMO_RL_SRC"


def python_for(recipe: Recipe, home: Path) -> Path | None:
    """Return an interpreter that has the recipe's framework, ``None`` when there is none here.

    That of the installed runtime, of whichever device. ``STARFORGE_PROOF_PYTHON_<FRAMEWORK>``
    names another. NeMo-RL, which is proved against a checkout (``STARFORGE_NEMO_RL_SRC``),
    needs OmegaConf and pydantic only, and verl's runtime has both.
    """
    variable = f"STARFORGE_PROOF_PYTHON_{module_name(recipe.framework).upper()}"
    if chosen := os.environ.get(variable):
        return Path(chosen)
    runtime = recipe.runtime
    if recipe.framework == "nemo-rl":
        if not os.environ.get(NEMO_RL_SOURCE):
            return None
        runtime = "verl"
    if runtime not in names():
        return None
    builds = (find(home, runtime, device) for device in DEVICES)
    return next((build.python for build in builds if build is not None), None)


def how_to_get(recipe: Recipe) -> str:
    """Return the command or setting that makes a proof possible."""
    if recipe.framework == "nemo-rl":
        return f"sf runtime install verl; export {NEMO_RL_SOURCE}=CHECKOUT"
    return f"sf runtime install {recipe.runtime}"
