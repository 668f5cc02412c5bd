"""The one error type that reaches a person: what, where, and how to fix it."""

from __future__ import annotations

from enum import IntEnum

from starforge.i18n import Lang, Text


class ExitCode(IntEnum):
    """Exit codes of ``sf``; documented in ``docs/en/cli.md``."""

    OK = 0
    NOT_FINE = 1
    USAGE = 2
    UNREACHABLE = 3
    NOT_ALLOWED = 4


class StarForgeError(Exception):
    """An expected failure with a text a person can act on.

    ``code`` is stable and machine readable; ``message`` says what and where; ``hint``
    says what to do next. Never raised for a defect of ours: those are tracebacks in the
    server's log.
    """

    def __init__(
        self,
        code: str,
        message: Text,
        hint: Text | None = None,
        *,
        exit_code: ExitCode = ExitCode.NOT_FINE,
        status: int = 400,
    ) -> None:
        super().__init__(message.en)
        self.code = code
        self.message = message
        self.hint = hint
        self.exit_code = exit_code
        self.status = status

    def render(self, lang: Lang | None = None) -> str:
        """Return the message and its hint as one or two lines."""
        lines = self.message.pick(lang)
        return f"{lines}\n{self.hint.pick(lang)}" if self.hint else lines
