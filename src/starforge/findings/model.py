"""The shape of a finding and of the place it points at."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from starforge.i18n import Lang, Text

Severity = Literal["error", "warning", "info"]


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """Where in the user's files: 1-based line and column, dotted key, value as written."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    value: Any = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a check has to say; codes are stable and documented."""

    code: str
    severity: Severity
    message: Text
    hint: Text | None = None
    at: Location = Location()

    def to_public(self, lang: Lang | None = None) -> dict[str, Any]:
        """Return the published shape (``sf validate --json``, the API) in one language."""
        return {
            "code": self.code,
            "severity": self.severity,
            "file": self.at.file,
            "line": self.at.line,
            "column": self.at.column,
            "key": self.at.key,
            "value": self.at.value,
            "message": self.message.pick(lang),
            "hint": self.hint.pick(lang) if self.hint else None,
        }
