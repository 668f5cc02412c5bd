"""Every rule there is: import the modules that declare one."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from starforge.findings import Rule, all_rules

# Rules stand beside the checks that use them. Those of the server are declared in modules that
# hold nothing else, so reading them loads no server.
PACKAGES = ("starforge.lab", "starforge.checks", "starforge.frameworks", "starforge.evals",
            "starforge.pipelines")  # fmt: skip
MODULES = ("starforge.server.services.rules_inputs",)
_IN_RUNTIME = (".contract", ".proof")  # they import the framework itself


@cache
def every_rule() -> dict[str, Rule]:
    """Return every rule by its code."""
    for name in PACKAGES:
        package = import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            alone = module.name.endswith(_IN_RUNTIME)
            if not alone and ".drivers" not in module.name and "._drivers" not in module.name:
                import_module(module.name)
    for name in MODULES:
        import_module(name)
    return {rule.code: rule for rule in all_rules()}
