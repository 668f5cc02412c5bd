"""Samples: what the model was asked, what it answered, and what that earned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starforge.streams.model import DecodedRows
from starforge.streams.rows import decode_rows, integer, number


def decode(data: bytes, *, base: int = 0, final: bool = False) -> DecodedRows:
    """Decode whole lines. Every row has ``s`` (int), ``t`` (float or None), ``prompt`` and
    ``completion`` (text or a list of messages), and ``reward`` (float or None). ``rewards``
    (named floats), ``group`` (text or int), ``length`` (int) and ``truncated`` (bool) are there
    only in these types; what is of another is left out.
    """
    return decode_rows(data, _normalize, base=base, final=final)


def _normalize(row: dict[str, Any]) -> str | None:
    """Bring a row into shape in place; return what makes it useless, if anything."""
    for key in ("prompt", "completion"):
        if not isinstance(row.get(key), (str, list)):
            return f"{key!r} is neither text nor a list of messages"
    step = integer(row.get("s", 0))
    if step is None:
        return "'s' is not a whole number"
    row["s"] = step
    row["t"] = number(row.get("t"))
    row["reward"] = number(row.get("reward"))
    rewards = row.get("rewards")
    if rewards is not None:
        named = rewards.items() if isinstance(rewards, dict) else ()
        pairs = ((name, number(value)) for name, value in named)
        row["rewards"] = {name: value for name, value in pairs if value is not None}
    for key, right in _OPTIONAL.items():
        if key in row and not right(row[key]):
            del row[key]
    return None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_OPTIONAL: dict[str, Callable[[Any], bool]] = {
    "group": lambda value: isinstance(value, str) or _is_count(value),
    "length": _is_count,
    "truncated": lambda value: isinstance(value, bool),
}
