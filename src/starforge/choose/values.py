"""Tell what single values are: a verdict, an answer that a program can check."""

from __future__ import annotations

import re
from typing import Any

_CHECKABLE = re.compile(
    r"""\s*(?:
      [-+]?[$€¥£]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?\s*%?   # a number
    | [-+]?\d+\s*/\s*\d+                                    # a fraction
    | \(?[A-J]\)?                                           # a choice
    | true | false | yes | no
    | \$?\\boxed\{.*\}\$?                                  # a box alone
    )\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_FINAL = re.compile(r"####\s*\S+\s*$|\\boxed\{")
_WORKED = 40  # characters; a shorter text with a box is the answer alone
_GOOD = frozenset({"good", "yes", "up", "like", "true", "positive", "1"})
_BAD = frozenset({"bad", "no", "down", "dislike", "false", "negative", "0", "-1"})


def is_checkable(value: Any) -> bool:
    """Say whether a program can compare an answer with ``value``."""
    if isinstance(value, bool | int | float):
        return True
    return isinstance(value, str) and bool(_CHECKABLE.fullmatch(value) or has_final(value))


def has_final(value: Any) -> bool:
    """Say whether ``value`` is a worked solution that ends in a marked final answer."""
    return isinstance(value, str) and bool(_FINAL.search(value)) and len(value) > _WORKED


def is_verdict(value: Any) -> bool:
    """Say whether ``value`` calls an answer good or bad."""
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return value in (0, 1, -1)
    return isinstance(value, str) and value.strip().lower() in _GOOD | _BAD


def is_good(value: Any) -> bool:
    """Say which of the two a verdict is."""
    if isinstance(value, str):
        return value.strip().lower() in _GOOD
    return bool(value) and value != -1
