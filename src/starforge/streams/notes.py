"""Collect notes so that a stream of rubbish gives a few notes, not a million."""

from __future__ import annotations

from dataclasses import replace

from starforge.streams.model import Note

_LIMIT = 50


class NoteList:
    """Notes in order; neighbours of one kind are joined, and the number is bounded."""

    def __init__(self) -> None:
        self.notes: list[Note] = []

    def add(self, kind: str, detail: str, offset: int, length: int) -> None:
        """Note that ``length`` bytes at ``offset`` could not be used."""
        if self.notes:
            last = self.notes[-1]
            touching = last.kind == kind and last.offset + last.length >= offset
            if touching or len(self.notes) >= _LIMIT:
                end = max(last.offset + last.length, offset + length)
                self.notes[-1] = replace(last, length=end - last.offset, count=last.count + 1)
                return
        self.notes.append(Note(kind, detail, offset, length))
