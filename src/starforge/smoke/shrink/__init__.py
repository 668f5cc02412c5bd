"""Which settings make an experiment small without changing what it does.

One module a framework; a framework without one can't be tried yet.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Protocol, cast

from starforge.errors import StarForgeError
from starforge.frameworks.base import module_name
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.smoke.shrink.sizes import Lengths, Shrunk, Sizes

__all__ = ["Lengths", "Shrunk", "shrink"]


class _Module(Protocol):
    def shrink(self, sizes: Sizes) -> Shrunk: ...


def shrink(context: PrepareContext, lengths: Lengths) -> Shrunk:
    """Return the settings of a smoke run.

    Raises :class:`StarForgeError` for a framework that has no module here.
    """
    framework = context.recipe.framework
    name = f"{__name__}.{module_name(framework)}"
    if find_spec(name) is None:
        raise StarForgeError(
            "smoke/framework",
            Text(f"`sf smoke` does not know how to make an experiment of {framework} small",
                 f"`sf smoke` 还不会缩小 {framework} 的实验"),
        )  # fmt: skip
    module = cast(_Module, importlib.import_module(name))
    return module.shrink(Sizes(context, lengths))
