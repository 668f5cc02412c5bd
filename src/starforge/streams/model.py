"""What decoding gives: columns of scalars, rows, and notes about what could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

MAX_RECORD = 4 * 1024 * 1024
"""Bytes of the longest record that is taken; what is longer is skipped with a note.

A chunk of this size therefore always lets a decoder go forward.
"""


class Columns(NamedTuple):
    """One series: parallel lists, in order of arrival. Times are Unix seconds."""

    steps: list[int]
    times: list[float]
    values: list[float]


ScalarBatch = dict[str, Columns]
"""Series by name as the job wrote it (native names)."""


@dataclass(frozen=True, slots=True)
class Note:
    """Bytes that could not be used. ``offset`` counts from the start of the stream.

    ``kind`` is ``damaged`` (a TFRecord that fails its checksum), ``too_long``,
    ``invalid`` (not UTF-8, not JSON, not of this format) or ``dropped`` (a value inside
    a good record). Neighbours of one kind are one note; ``count`` says how many.
    """

    kind: str
    detail: str
    offset: int
    length: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Decoded:
    """Scalars of the whole records in a piece of a stream; ``consumed`` bytes are done."""

    consumed: int
    series: ScalarBatch
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Row:
    """One JSON record; its bytes are ``offset .. offset + length`` of the stream."""

    data: dict[str, Any]
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class DecodedRows:
    """Rows of the whole records in a piece of a stream; ``consumed`` bytes are done."""

    consumed: int
    rows: list[Row]
    notes: list[Note] = field(default_factory=list)
