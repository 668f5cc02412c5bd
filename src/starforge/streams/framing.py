"""Cut a piece of a stream into whole records.

A decoder keeps no state: it is given the bytes from the first one not yet consumed. Each
rule here depends only on the bytes themselves, never on where a piece was cut, so any
cutting gives the same records.
"""

from __future__ import annotations

from collections.abc import Iterator

from starforge.streams.model import MAX_RECORD
from starforge.streams.notes import NoteList
from starforge.streams.tfrecord import TFRecords

Line = tuple[int, bytes]


class Lines:
    """Whole lines of ``data``; ``consumed`` is right when iteration has ended.

    A line of more than :data:`MAX_RECORD` bytes is skipped in blocks of that size.
    ``final`` says that no more bytes will come, so a last line may lack its newline.
    """

    def __init__(self, data: bytes, notes: NoteList, *, base: int = 0, final: bool = False) -> None:
        self._data = data
        self._notes = notes
        self._base = base
        self._final = final
        self.consumed = 0

    def __iter__(self) -> Iterator[Line]:
        """Yield ``(offset in data, line without its newline)``; empty lines are left out."""
        data, start, size = self._data, 0, len(self._data)
        while start < size:
            end = data.find(b"\n", start, start + MAX_RECORD)
            if end < 0 and size - start >= MAX_RECORD:
                self._notes.add("too_long", "line too long", self._base + start, MAX_RECORD)
                start = self.consumed = start + MAX_RECORD
                continue
            if end < 0:
                if not self._final:
                    break
                end = size
            line = data[start:end]
            offset, start = start, min(end + 1, size)
            self.consumed = start
            if line and not line.isspace():
                yield offset, line


def whole(fmt: str, data: bytes) -> int:
    """Return the number of leading bytes of ``data`` that are whole records.

    Damaged records count: they are skipped. Any byte of a ``log`` is a whole record.

    Raises:
        ValueError: there is no such format.
    """
    if fmt == "log":
        return len(data)
    if fmt == "tensorboard":
        records = TFRecords(data, NoteList())
        for _ in records:
            pass
        return records.consumed
    if fmt in ("report", "samples", "scores", "alerts"):
        lines = Lines(data, NoteList())
        for _ in lines:
            pass
        return lines.consumed
    raise ValueError(f"there is no stream format {fmt!r}")
