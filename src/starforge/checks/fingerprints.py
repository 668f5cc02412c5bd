"""Equal rows, within a file and between files, by 64-bit hashes of the whole rows."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import msgspec

FEW = 100_000  # rows up to which plain dictionaries are quicker than loading numpy


class Repeats(msgspec.Struct, frozen=True):
    """How many rows stand elsewhere too, and the line of the first of them."""

    count: int = 0
    first: int = 0


class Fingerprints:
    """Hashes of rows and the lines they stand on: 16 bytes a row.

    Hashes are Python's own, so they hold for one process; two different rows of five million
    get the same one with a probability below one in a million.
    """

    def __init__(self) -> None:
        self.hashes = array("q")
        self.lines = array("q")

    def __len__(self) -> int:
        return len(self.hashes)

    def add(self, line: int, canonical: bytes) -> None:
        """Note a row by its canonical bytes."""
        self.hashes.append(hash(canonical))
        self.lines.append(line)

    def duplicates(self) -> Repeats:
        """Return the rows that stand in the file before already."""
        if len(self) <= FEW:
            seen: set[int] = set()
            again = [
                index for index, key in enumerate(self.hashes)
                if key in seen or seen.add(key)  # type: ignore[func-returns-value]
            ]  # fmt: skip
            return self._repeats(again)
        import numpy

        hashes = numpy.frombuffer(self.hashes, dtype=numpy.int64)
        order = numpy.argsort(hashes, kind="stable")
        same = hashes[order[1:]] == hashes[order[:-1]]
        return self._repeats(order[1:][same])

    def shared(self, other: Fingerprints) -> Repeats:
        """Return the rows that stand in ``other`` too."""
        if len(self) + len(other) <= FEW:
            theirs = set(other.hashes)
            return self._repeats(i for i, key in enumerate(self.hashes) if key in theirs)
        import numpy

        mine = numpy.frombuffer(self.hashes, dtype=numpy.int64)
        both = numpy.isin(mine, numpy.frombuffer(other.hashes, dtype=numpy.int64))
        return self._repeats(numpy.flatnonzero(both))

    def _repeats(self, indices: Iterable[int]) -> Repeats:
        found = [int(index) for index in indices]
        return Repeats(len(found), self.lines[min(found)]) if found else Repeats()
