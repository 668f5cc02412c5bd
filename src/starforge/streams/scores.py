"""Scores of benchmarks, one a line."""

from __future__ import annotations

from typing import Any

from starforge.streams.framing import Lines
from starforge.streams.model import DecodedRows, Row
from starforge.streams.notes import NoteList
from starforge.streams.rows import integer, number, objects


def decode(data: bytes, *, base: int = 0, final: bool = False) -> DecodedRows:
    """Decode whole lines. Every row has ``benchmark``, ``metric`` (text), ``value`` (float),
    ``stderr`` and ``t`` (float or None), ``items`` (int or None), ``higher_is_better`` (bool)
    and ``settings`` (object).
    """
    notes = NoteList()
    lines = Lines(data, notes, base=base, final=final)
    rows: list[Row] = []
    for offset, length, row in objects(lines, notes, base=base):
        problem = _normalize(row)
        if problem:
            notes.add("invalid", problem, offset, length)
        else:
            rows.append(Row(row, offset, length))
    return DecodedRows(lines.consumed, rows, notes.notes)


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
