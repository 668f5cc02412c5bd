"""The flowchart of choosing a method, as Mermaid, from the rules themselves."""

from __future__ import annotations

from itertools import groupby

from starforge.choose.rules import BRANCHES, Advice, Branch
from starforge.lang import t

_NAMES = ("Data", "Methods")


def mermaid() -> str:
    """Return the flowchart in the language of this process."""
    lines = ["flowchart TD", f'    Start["{t("What data do you have?", "手头是什么数据？")}"]']
    for number, branch in enumerate(BRANCHES, start=1):
        data, methods = (f"{name}{number}" for name in _NAMES)
        lines.append(f'    Start --> {data}["{_safe(branch.label.pick())}"]')
        lines.append(f'    {data} --> {methods}["{"<br/>".join(method_lines(branch))}"]')
    return "\n".join(lines)


def method_lines(branch: Branch) -> list[str]:
    """Return the methods of a branch, those under one condition on one line."""

    def condition(advice: Advice) -> tuple[str, str]:
        framework = advice.method.partition("/")[0] if advice.when is None else ""
        return (advice.when.pick() if advice.when else "", framework)

    lines = []
    for (when, _), group in groupby(branch.advice, key=condition):
        named = " / ".join(one.method for one in group)
        lines.append(_safe(f"{when}{t(': ', '：')}{named}" if when else named))
    return lines


def _safe(text: str) -> str:
    """Return a label without what Mermaid would read as its own."""
    return text.replace('"', "'").replace(";", ",").replace("#", "")
