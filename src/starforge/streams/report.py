"""Scalars as `starforge.report` writes them: ``{"t": time, "s": step, "v": {name: number}}``."""

from __future__ import annotations

from typing import Any

from starforge.streams.framing import Lines
from starforge.streams.model import Columns, Decoded, ScalarBatch
from starforge.streams.notes import NoteList
from starforge.streams.rows import integer, is_name, number, objects


def decode(data: bytes, *, base: int = 0, final: bool = False) -> Decoded:
    """Decode whole lines; ``base`` is the stream offset of ``data[0]``."""
    notes = NoteList()
    lines = Lines(data, notes, base=base, final=final)
    series: ScalarBatch = {}
    for offset, length, row in objects(lines, notes, base=base):
        problem = _add(row, series)
        if problem:
            kind = "dropped" if problem.startswith("value") else "invalid"
            notes.add(kind, problem, offset, length)
    return Decoded(lines.consumed, series, notes.notes)


def _add(row: dict[str, Any], series: ScalarBatch) -> str | None:
    """Add one record to ``series``; return what was wrong with it, if anything."""
    time, step, values = number(row.get("t")), integer(row.get("s")), row.get("v")
    if time is None or step is None or not isinstance(values, dict):
        return "not a record of t (seconds), s (whole number), v (object)"
    problem = None
    for name, raw in values.items():
        value = raw if type(raw) is float else number(raw)
        columns = series.get(name)
        if value is None or (columns is None and not is_name(name)):
            problem = f"value of {name[:80]!r} dropped: not a number, or not a name"
            continue
        if columns is None:
            columns = series[name] = Columns([], [], [])
        steps, times, numbers = columns
        steps.append(step)
        times.append(time)
        numbers.append(value)
    return problem
