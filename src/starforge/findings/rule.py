"""Rules: each finding code declared once, with its texts and its examples.

A rule is declared at module level beside the check that uses it::

    UNKNOWN_KEY = rule(
        "config/unknown-key", "error",
        title=Text("Unknown key", "未知的键"),
        message=Text("`{key}` is not a key of {pin}", "`{key}` 不是 {pin} 的键"),
        hint=Text("did you mean `{nearest}`?", "是不是想写 `{nearest}`？"),
        why=Text("...", "..."),
        bad="learning_rat: 1e-5", good="learning_rate: 1e-5",
    )
    UNKNOWN_KEY.at(location, key="learning_rat", pin="trl@1.10.0", nearest="learning_rate")
"""

from __future__ import annotations

import msgspec

from starforge.findings.model import Finding, Location, Severity
from starforge.i18n import Text


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A finding code: its severity, texts (with ``{fields}``), reason and examples."""

    code: str
    severity: Severity
    title: Text
    message: Text
    hint: Text | None
    why: Text
    bad: str
    good: str

    def at(self, where: Location, /, *, hint: Text | None = None, **args: object) -> Finding:
        """Return a finding of this rule; ``hint`` replaces the rule's own hint."""
        own = self.hint.format(**args) if self.hint else None
        return Finding(
            code=self.code,
            severity=self.severity,
            message=self.message.format(**args),
            hint=hint or own,
            at=where,
        )


_rules: dict[str, Rule] = {}


def rule(
    code: str,
    severity: Severity,
    *,
    title: Text,
    message: Text,
    why: Text,
    bad: str,
    good: str,
    hint: Text | None = None,
) -> Rule:
    """Declare a rule and register it under its code (``area/what-is-wrong``)."""
    made = Rule(
        code=code,
        severity=severity,
        title=title,
        message=message,
        hint=hint,
        why=why,
        bad=bad,
        good=good,
    )
    if code in _rules:
        raise ValueError(f"rule {code} is declared twice")
    _rules[code] = made
    return made


def all_rules() -> tuple[Rule, ...]:
    """Return every declared rule by code. Import ``starforge.checks`` and ``.lab`` first."""
    return tuple(_rules[code] for code in sorted(_rules))
