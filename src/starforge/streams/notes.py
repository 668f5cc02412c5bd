"""Collect notes so that a stream of rubbish gives a few notes, not a million."""

from __future__ import annotations

from dataclasses import replace

from starforge.streams.model import Note

_LIMIT = 50


class NoteList:
    """Notes in order; neighbours of one kind are joined, and so is all beyond a number."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self._last: dict[str, int] = {}

    def add(self, kind: str, detail: str, offset: int, length: int) -> None:
        """Note that ``length`` bytes at ``offset`` could not be used."""
        if self.notes:
            last = self.notes[-1]
            if last.kind == kind and last.offset + last.length >= offset:
                end = max(last.offset + last.length, offset + length)
                self.notes[-1] = replace(last, length=end - last.offset, count=last.count + 1)
                return
        known = self._last.get(kind)
        if known is not None and len(self.notes) >= _LIMIT:
            more = self.notes[known]
            self.notes[known] = replace(more, length=more.length + length, count=more.count + 1)
            return
        self._last[kind] = len(self.notes)
        self.notes.append(Note(kind, detail, offset, length))
