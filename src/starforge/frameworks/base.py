"""The protocol of a framework, and finding one by name.

A framework is a module or package ``starforge.frameworks.<name>`` with an object
``FRAMEWORK``. There is no register: adding the module adds the framework.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from typing import Protocol, cast

from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.plan import LaunchPlan


class Framework(Protocol):
    """Turns a checked experiment into a plan. Pure: reads the context, writes nothing.

    It may also have ``proof_profile(recipe)``: the profile on which its plans are proved
    (see ``starforge.proofs``), where those of the recipe's minimum are not the usual ones;
    and ``why_not(context, which)``, where its checkpoints are model folders: why none of them
    will be ``best`` or ``step-N`` (a text, or ``None`` when one may be).
    """

    @property
    def name(self) -> str:
        """The framework's name in ``framework/method``."""
        ...

    def checks(self, context: PrepareContext) -> list[Finding]:
        """Return what only this framework can say about the experiment."""
        ...

    def plan(self, context: PrepareContext) -> LaunchPlan:
        """Return the launch plan. Called only when no finding is an error."""
        ...


def names() -> list[str]:
    """Return the names of all frameworks, by looking at the modules that are there."""
    package = importlib.import_module("starforge.frameworks")
    modules = pkgutil.iter_modules(package.__path__)
    found = [m.name for m in modules if m.name not in _HELPERS and not m.name.startswith("_")]
    return sorted(name.replace("_", "-") for name in found)


def module_name(framework: str) -> str:
    """Return the module of a framework: a ``-`` in its name is a ``_`` there."""
    return framework.replace("-", "_")


def get(name: str) -> Framework:
    """Return the framework called ``name``; its module is imported only now."""
    if name not in names():
        known = ", ".join(names())
        raise StarForgeError(
            "catalog/unknown-framework",
            Text(f"there is no framework `{name}`", f"没有名为 `{name}` 的框架"),
            Text(f"known frameworks: {known}", f"已有的框架：{known}"),
        )
    module = importlib.import_module(f"starforge.frameworks.{module_name(name)}")
    return cast(Framework, module.FRAMEWORK)


_HELPERS = {"base", "exporting", "planfiles"}
