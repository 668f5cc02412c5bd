"""Every rule there is, wherever it is declared, and what there is to say about one.

Rules stand in rooms above this one. They are named here, and imported only when asked for.
"""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib import import_module
from typing import Any

from starforge.findings.rule import Rule, all_rules
from starforge.i18n import Lang, Text, current_lang

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


def explained(rule: Rule, lang: Lang | None = None) -> dict[str, Any]:
    """Return ``{code, severity, title, message, hint, why, bad, good}`` of a rule."""
    lang = lang or current_lang()
    return {
        "code": rule.code,
        "severity": rule.severity,
        "title": rule.title.pick(lang),
        "message": _plain(rule.message, lang),
        "hint": _plain(rule.hint, lang) if rule.hint else None,
        "why": rule.why.pick(lang),
        "bad": rule.bad,
        "good": rule.good,
    }


def _plain(text: Text, lang: Lang) -> str:
    return plain_fields(text.pick(lang))


def plain_fields(text: str) -> str:
    """Show ``{reason.en}`` as ``{reason}``: the language is no concern of the reader."""
    return re.sub(r"\{(\w+)\.(?:en|zh)\}", r"{\1}", text)
