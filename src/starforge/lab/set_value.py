"""The value of ``--set name=value``."""

from __future__ import annotations

from typing import Any

from starforge.i18n import Text
from starforge.lab import rules_yaml
from starforge.lab.document import parse_document
from starforge.lab.scalars import NotFiniteError, TooLargeError, plain_value


def parse_value(written: str) -> tuple[Any, Text | None]:
    """Read the value of ``--set``: a plain scalar, or YAML in brackets or quotes.

    Nothing after ``=`` is the empty text; write ``null`` for no value.
    """
    text = written.strip()
    if not text:
        return "", None
    if text[0] not in "[{'\"":
        try:
            return plain_value(text), None
        except (NotFiniteError, TooLargeError):
            rule = rules_yaml.NOT_FINITE
            return None, rule.message.format(value=text)
    document, findings = parse_document(f"value: {text}".encode(), "--set")
    if findings:
        return None, findings[0].message
    return document.mapping.get("value"), None


def printable(argument: str) -> str:
    """Return a command-line argument with what is no UTF-8 replaced."""
    return argument.encode("utf-8", "replace").decode("utf-8")


def is_text(argument: str) -> bool:
    """Say whether a command-line argument was valid UTF-8."""
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
