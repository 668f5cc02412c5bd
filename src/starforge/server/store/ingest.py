"""Take bytes of a stream at an offset, exactly once."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from starforge.plan import StreamFormat
from starforge.server.store.database import Database, Tx
from starforge.server.store.segments import StreamFiles


class StreamChunk(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of one stream, as they lie in the file from ``offset`` on.

    ``names`` maps upstream metric names to canonical ones. ``final`` says nothing will
    follow, so that a last record without its newline is taken too.
    """

    job_id: str
    attempt: int
    path: str
    format: StreamFormat
    offset: int
    data: bytes
    names: Mapping[str, str] = {}
    final: bool = False


class OffsetMismatch(Exception):  # noqa: N818 - it is an answer, not a fault
    """The stream goes on at another offset: ``expected``."""

    def __init__(self, expected: int) -> None:
        super().__init__(f"expected offset {expected}")
        self.expected = expected


def accept(db: Database, files: StreamFiles, chunk: StreamChunk) -> int:
    """Take the whole records of ``chunk`` in one transaction; return the new offset."""
    raise NotImplementedError


def offsets(tx: Tx, job_id: str, attempt: int) -> dict[str, int]:
    """Return how far each stream of an attempt was taken, by path."""
    raise NotImplementedError
