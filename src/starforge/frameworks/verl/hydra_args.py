"""Write configuration values as Hydra overrides, exactly (grammar of Hydra 1.3).

A value must come out of Hydra's parser as the very value that went in: text that looks like
a number stays text, and text with quotes, commas or braces stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from starforge.catalog.models import ContractConfig, ContractKey
from starforge.plan import Difference

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_NOT_TEXT = {"null", "true", "false", "inf", "nan"}
_IN_KEY = re.compile(r"[\\()\[\]{}:=, \t]")


def overrides(differs: Iterable[Difference], config: ContractConfig) -> list[str]:
    """Return one ``key=value`` for every difference, in the order given.

    A key that upstream's own files lack is added with ``+``; a mapping is merged with ``++``,
    since its entries may be new.
    """
    return [override(one.path, one.value, config.keys.get(one.path)) for one in differs]


def override(path: str, value: Any, key: ContractKey | None) -> str:
    """Return the override that sets ``path`` to ``value``."""
    added = "+" if key is None or key.added else ""
    sign = "++" if isinstance(value, dict) else added
    return f"{sign}{path}={spell(value)}"


def spell(value: Any) -> str:
    """Write a value in Hydra's grammar."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list() | tuple():
            return "[" + ",".join(spell(item) for item in value) + "]"
        case dict():
            entries = (f"{_key(str(name))}:{spell(item)}" for name, item in value.items())
            return "{" + ",".join(entries) + "}"
    return _text(str(value))


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    return quoted(text)


def quoted(text: str) -> str:
    r"""Write text in single quotes.

    Backslashes are plain letters there, but those before a quote, and those at the end,
    count twice.
    """
    return f"'{inside_quotes(text)}'"


def inside_quotes(text: str) -> str:
    """Return what stands between the quotes of :func:`quoted`."""
    escaped = re.sub(r"(\\*)'", lambda found: found[1] * 2 + "\\'", text)
    return re.sub(r"(\\+)$", lambda found: found[1] * 2, escaped)


def _key(name: str) -> str:
    """Write a key of a mapping, which Hydra wants unquoted."""
    return _IN_KEY.sub(lambda found: "\\" + found[0], name)
