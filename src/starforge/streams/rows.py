"""JSON lines: one object a line, anything else noted and skipped."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from starforge.streams.framing import Lines
from starforge.streams.model import DecodedRows, Row
from starforge.streams.notes import NoteList

_raw_decode = json.JSONDecoder().raw_decode

JsonRow = tuple[int, int, dict[str, Any]]


def decode_rows(
    data: bytes, normalize: Callable[[dict[str, Any]], str | None], *, base: int, final: bool
) -> DecodedRows:
    """Decode whole lines into rows.

    ``normalize`` brings a row into shape in place, or says what makes it useless.
    """
    notes = NoteList()
    lines = Lines(data, notes, base=base, final=final)
    rows: list[Row] = []
    for offset, length, row in objects(lines, notes, base=base):
        problem = normalize(row)
        if problem:
            notes.add("invalid", problem, offset, length)
        else:
            rows.append(Row(row, offset, length))
    return DecodedRows(lines.consumed, rows, notes.notes)


def objects(lines: Lines, notes: NoteList, *, base: int) -> Iterator[JsonRow]:
    """Yield ``(offset in the stream, length, object)`` for each line that is an object."""
    for offset, line in lines:
        try:
            row = _load(line)
        except UnicodeDecodeError:
            notes.add("invalid", "not UTF-8", base + offset, len(line) + 1)
        except (ValueError, RecursionError):
            notes.add("invalid", "not JSON", base + offset, len(line) + 1)
        else:
            if isinstance(row, dict):
                yield base + offset, len(line) + 1, row
            else:
                notes.add("invalid", "not a JSON object", base + offset, len(line) + 1)


def _load(line: bytes) -> Any:
    """Parse a line; half a surrogate pair, which no UTF-8 can hold, becomes ``?``."""
    text = line.decode("utf-8")
    if text[0] == "{":  # json.loads without looking for space around the text
        row, end = _raw_decode(text)
        if end != len(text):
            row = json.loads(text)
    else:
        row = json.loads(text)
    if b"\\ud" in line or b"\\uD" in line:
        return json.loads(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace"))
    return row


def is_name(name: str) -> bool:
    """Say whether a text can name a metric: any but an empty one; the server tidies them."""
    return bool(name)


def number(value: Any) -> float | None:
    """Return a JSON number as a float (NaN and Infinity too); ``None`` for all else."""
    if isinstance(value, float):
        return value
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return None


def integer(value: Any) -> int | None:
    """Return a JSON number as an int64 if it is whole; ``None`` for all else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return int(value)
    return None
