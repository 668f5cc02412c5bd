"""Alerts: what the runner wants a person to look at, one a line."""

from __future__ import annotations

from typing import Any

from starforge.streams.model import DecodedRows
from starforge.streams.rows import decode_rows, integer, number


def decode(data: bytes, *, base: int = 0, final: bool = False) -> DecodedRows:
    """Decode whole lines. Every row has ``code``, ``message`` and ``message_zh`` (text),
    ``s`` (int) and ``t`` (float or None).
    """
    return decode_rows(data, _normalize, base=base, final=final)


def _normalize(row: dict[str, Any]) -> str | None:
    """Bring a row into shape in place; return what makes it useless, if anything."""
    for key in ("code", "message"):
        if not isinstance(row.get(key), str) or not row[key]:
            return f"{key!r} is missing or not a text"
    if not isinstance(row.get("message_zh"), str) or not row["message_zh"]:
        row["message_zh"] = row["message"]
    row["s"] = integer(row.get("s")) or 0
    row["t"] = number(row.get("t"))
    return None
