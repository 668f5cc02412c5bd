"""What a plain scalar of a YAML file means.

YAML 1.2 rules, with what people plainly mean where 1.2 is strict:

- ``true``/``false`` and ``null``/``~`` in their usual spellings; ``yes``, ``no``, ``on``
  and ``off`` stay text (so ``save_strategy: no`` is the word), and a key whose type is
  true/false takes them as that;
- ``5e-7``, ``1.``, ``.5`` and ``1_000_000`` are numbers; ``010`` is ten; ``0x1f`` and
  ``0o17`` are numbers; ``1:30`` and dates stay text.
"""

from __future__ import annotations

import math
import re
from typing import Any

from starforge.catalog.types import as_number

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH = {
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_NOT_FINITE = re.compile(r"[-+]?\.?(inf|infinity)|[-+]?\.?nan", re.IGNORECASE)
_HEX = re.compile(r"0x[0-9a-fA-F]{1,16}")
_OCTAL = re.compile(r"0o[0-7]{1,21}")
_GROUPED = re.compile(r"[-+]?\d{1,3}(_\d{3})+(\.\d+)?")
INT_RANGE = range(-(2**63), 2**63)


class NotFiniteError(ValueError):
    """The scalar is NaN or infinite."""


class TooLargeError(ValueError):
    """The integer does not fit in 64 bits."""


def plain_value(text: str) -> Any:
    """Return the value of an unquoted scalar.

    Raises :class:`NotFiniteError` or :class:`TooLargeError` for numbers nothing can use.
    """
    if text in _NULL:
        return None
    if text in _TRUTH:
        return _TRUTH[text]
    if _NOT_FINITE.fullmatch(text):
        raise NotFiniteError(text)
    number = _number(text)
    if isinstance(number, float) and not math.isfinite(number):
        raise NotFiniteError(text)
    if isinstance(number, int) and number not in INT_RANGE:
        raise TooLargeError(text)
    return text if number is None else number


def _number(text: str) -> int | float | None:
    if _HEX.fullmatch(text):
        return int(text, 16)
    if _OCTAL.fullmatch(text):
        return int(text, 8)
    if "_" in text and not _GROUPED.fullmatch(text):
        return None
    return as_number(text)
