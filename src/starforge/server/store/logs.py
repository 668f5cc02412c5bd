"""Read logs by line, from the end, by byte range, or by search."""

from __future__ import annotations

import msgspec

from starforge.server.store.database import Tx
from starforge.server.store.records import StreamRow
from starforge.server.store.segments import StreamFiles


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line without its newline; ``number`` counts from 0, ``offset`` is in bytes."""

    number: int
    offset: int
    text: str
    truncated: bool = False


class Lines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of one stream; ``total`` in it; ``next_line`` and ``next_offset`` go on."""

    lines: list[Line]
    total: int
    next_line: int
    next_offset: int


def streams(tx: Tx, job_id: str, attempt: int | None = None) -> list[StreamRow]:
    """Return the streams of a job (all formats), by attempt and path."""
    raise NotImplementedError


def stream(tx: Tx, job_id: str, attempt: int, path: str) -> StreamRow | None:
    """Return one stream, if it exists."""
    raise NotImplementedError


def read(
    tx: Tx, files: StreamFiles, of: StreamRow, *, from_line: int = 0, count: int = 1000
) -> Lines:
    """Return ``count`` lines from ``from_line`` on."""
    raise NotImplementedError


def tail(tx: Tx, files: StreamFiles, of: StreamRow, count: int = 100) -> Lines:
    """Return the last ``count`` lines."""
    raise NotImplementedError


def search(
    tx: Tx,
    files: StreamFiles,
    of: StreamRow,
    pattern: str,
    *,
    regex: bool = True,
    ignore_case: bool = True,
    from_line: int = 0,
    limit: int = 100,
) -> Lines:
    """Return lines that match, from ``from_line`` on; a bad pattern is a StarForgeError."""
    raise NotImplementedError


def read_bytes(files: StreamFiles, of: StreamRow, start: int, end: int | None = None) -> bytes:
    """Return bytes as they came, cut to what the stream holds."""
    raise NotImplementedError
