"""TFRecord framing: length, its checksum, payload, its checksum.

The checksum of the length is always verified, that of the payload up to
:data:`_VERIFIED` bytes (scalars are tens of bytes; graphs and images are skipped anyway).
After damage, reading goes on at the next place that is a valid record header.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from starforge.streams.crc32c import crc32c_many, mask, masked
from starforge.streams.model import MAX_RECORD
from starforge.streams.notes import NoteList

_HEADER = 12
_FOOTER = 4
_VERIFIED = 64 * 1024
_LONGEST = MAX_RECORD - _HEADER - _FOOTER
# A length below 2**24 ends in five zero bytes, and no such length has a checksum of zero:
# only such places can be a header. (A hole of zeros in a file is passed at full speed.)
_CANDIDATE = re.compile(rb"(?=.{3}\x00{5}(?!\x00{4}))", re.DOTALL)

_FEWEST, _MOST = 64, 4096
"""Records that are checked at once: few after damage, since those behind it are read again."""
_MANY = 32
"""Payloads of one length from which on checking them side by side is faster."""

_Frame = tuple[int, bytes, int]
"""Offset, payload and the payload's checksum as it is stored."""

_unpack_header = struct.Struct("<QI").unpack_from
_unpack_crc = struct.Struct("<I").unpack_from


class TFRecords:
    """Whole records of ``data``; ``consumed`` is right when iteration has ended."""

    def __init__(self, data: bytes, notes: NoteList, *, base: int = 0) -> None:
        self._data = data
        self._notes = notes
        self._base = base
        self._lengths: dict[bytes, int] = {}  # of headers seen: most are like one before
        self.consumed = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Yield ``(offset in data, payload)``."""
        position, batch, more = 0, _FEWEST, True
        while more:
            frames, position, more = self._frames(position, batch)
            good = _good(frames)
            for offset, payload, _ in frames[:good]:
                self.consumed = offset + _HEADER + len(payload) + _FOOTER
                yield offset, payload
            batch = min(2 * batch, _MOST)
            if good < len(frames):
                position = self._resync(frames[good][0], "record fails its checksum")
                batch, more = _FEWEST, True
        self.consumed = position

    def _frames(self, position: int, most: int) -> tuple[list[_Frame], int, bool]:
        """Return up to ``most`` records with good headers, where to go on, and whether to."""
        data, size = self._data, len(self._data)
        frames: list[_Frame] = []
        while size - position >= _HEADER:
            length = self._length(data[position : position + _HEADER])
            if length < 0:
                if not frames:  # else the records before it come first
                    position = self._resync(position, "record header fails its checksum")
                return frames, position, True
            end = position + _HEADER + length
            if end + _FOOTER > size:
                break
            frames.append((position, data[position + _HEADER : end], _unpack_crc(data, end)[0]))
            position = end + _FOOTER
            if len(frames) == most:
                return frames, position, True
        return frames, position, False

    def _length(self, header: bytes) -> int:
        """Return the payload length that a header says, or -1 when it is none."""
        length = self._lengths.get(header)
        if length is None:
            length, crc = _unpack_header(header)
            if length > _LONGEST or masked(header[:8]) != crc:
                return -1
            self._lengths[header] = length
        return length

    def _resync(self, position: int, detail: str) -> int:
        """Return where the next readable header is, or where it could still begin."""
        last = len(self._data) - _HEADER + 1
        found = last
        for match in _CANDIDATE.finditer(self._data, position + 1):
            if match.start() >= last:
                break
            if self._length(self._data[match.start() : match.start() + _HEADER]) >= 0:
                found = match.start()
                break
        self._notes.add("damaged", detail, self._base + position, found - position)
        return found


def _good(frames: list[_Frame]) -> int:
    """Return how many records come before the first that fails its checksum."""
    groups: dict[int, list[int]] = {}
    for number, (_, payload, _) in enumerate(frames):
        if len(payload) <= _VERIFIED:
            groups.setdefault(len(payload), []).append(number)
    good = len(frames)
    for numbers in groups.values():
        payloads = [frames[number][1] for number in numbers]
        if len(numbers) >= _MANY and payloads[0]:
            sums = [mask(crc) for crc in crc32c_many(payloads)]
        else:
            sums = [masked(payload) for payload in payloads]
        for number, crc in zip(numbers, sums, strict=True):
            if crc != frames[number][2]:
                good = min(good, number)
                break
    return good
