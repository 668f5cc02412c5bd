"""TFRecord framing: length, its checksum, payload, its checksum.

The checksum of the length is always verified, that of the payload up to
:data:`_VERIFIED` bytes (scalars are tens of bytes; graphs and images are skipped anyway).
After damage, reading goes on at the next place that is a valid record header.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from starforge.streams.crc32c import masked
from starforge.streams.model import MAX_RECORD
from starforge.streams.notes import NoteList

_HEADER = 12
_FOOTER = 4
_VERIFIED = 64 * 1024
_LONGEST = MAX_RECORD - _HEADER - _FOOTER
# A length below 2**24 ends in five zero bytes, and no such length has a checksum of zero:
# only such places can be a header. (A hole of zeros in a file is passed at full speed.)
_CANDIDATE = re.compile(rb"(?=.{3}\x00{5}(?!\x00{4}))", re.DOTALL)

_unpack_header = struct.Struct("<QI").unpack_from
_unpack_crc = struct.Struct("<I").unpack_from


class TFRecords:
    """Whole records of ``data``; ``consumed`` is right when iteration has ended."""

    def __init__(self, data: bytes, notes: NoteList, *, base: int = 0) -> None:
        self._data = data
        self._notes = notes
        self._base = base
        self.consumed = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Yield ``(offset in data, payload)``."""
        data, position, size = self._data, 0, len(self._data)
        lengths: dict[bytes, int] = {}  # by header: most records are as long as one before
        while size - position >= _HEADER:
            header = data[position : position + _HEADER]
            length = lengths.get(header, -1)
            if length < 0:
                length = lengths[header] = self._length_at(position)
            if length < 0:
                position = self._resync(position, "record header fails its checksum")
                continue
            end = position + _HEADER + length
            if end + _FOOTER > size:
                break
            payload = data[position + _HEADER : end]
            if length <= _VERIFIED and masked(payload) != _unpack_crc(data, end)[0]:
                position = self._resync(position, "record fails its checksum")
                continue
            offset, position = position, end + _FOOTER
            self.consumed = position
            yield offset, payload
        self.consumed = position

    def _length_at(self, position: int) -> int:
        """Return the payload length of the record at ``position``, or -1."""
        length, crc = _unpack_header(self._data, position)
        if length > _LONGEST or masked(self._data[position : position + 8]) != crc:
            return -1
        return int(length)

    def _resync(self, position: int, detail: str) -> int:
        """Return where the next readable header is, or where it could still begin."""
        last = len(self._data) - _HEADER + 1
        found = last
        for match in _CANDIDATE.finditer(self._data, position + 1):
            if match.start() >= last:
                break
            if self._length_at(match.start()) >= 0:
                found = match.start()
                break
        self._notes.add("damaged", detail, self._base + position, found - position)
        return found
