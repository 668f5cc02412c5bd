"""Scores of benchmarks, one a line."""

from __future__ import annotations

from typing import Any

from starforge.streams.model import DecodedRows
from starforge.streams.rows import decode_rows, integer, number


def decode(data: bytes, *, base: int = 0, final: bool = False) -> DecodedRows:
    """Decode whole lines. Every row has ``benchmark``, ``metric`` (text), ``value`` (float),
    ``stderr`` and ``t`` (float or None), ``items`` (int or None), ``higher_is_better`` (bool)
    and ``settings`` (object).
    """
    return decode_rows(data, _normalize, base=base, final=final)


def _normalize(row: dict[str, Any]) -> str | None:
    """Bring a row into shape in place; return what makes it useless, if anything."""
    for key in ("benchmark", "metric"):
        if not isinstance(row.get(key), str) or not row[key]:
            return f"{key!r} is missing or not a text"
    value = number(row.get("value"))
    if value is None:
        return "'value' is not a number"
    row["value"] = value
    row["stderr"] = number(row.get("stderr"))
    row["t"] = number(row.get("t"))
    row["items"] = integer(row.get("items"))
    row["higher_is_better"] = row.get("higher_is_better", True) is not False
    if not isinstance(row.get("settings"), dict):
        row["settings"] = {}
    return None
