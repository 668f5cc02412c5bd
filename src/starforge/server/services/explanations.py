"""What the codes of findings mean."""

from __future__ import annotations

from starforge.errors import StarForgeError
from starforge.findings.declared import every_rule, explained
from starforge.i18n import Lang, Text
from starforge.wire.findings import Explanation


def explanation(code: str, lang: Lang) -> Explanation:
    """Explain a code; raises a 404 for one that no check has."""
    rule = every_rule().get(code)
    if rule is None:
        raise StarForgeError(
            "explain/unknown-code",
            Text(f"there is no finding with the code `{code}`", f"没有代码为 `{code}` 的检查结果"),
            Text("`sf explain` lists all codes", "用 `sf explain` 列出全部代码"),
            status=404,
        )
    return Explanation(**explained(rule, lang))
