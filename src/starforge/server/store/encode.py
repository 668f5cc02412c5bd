"""Columns of metric points as bytes, and back, exactly.

A blob is a header (version, how values are kept, number of points, bytes of the first two
columns) and three columns: steps, wall times in milliseconds, values.

Integers are kept as differences. Values are kept as float32 when every one of them comes
back exactly, and as the XOR with their predecessor when that is smaller. Columns are
byte-shuffled (all first bytes, then all second bytes, ...) so that zstd finds the bytes
that hardly change. A raw blob has its columns as they are: the open tail is rewritten
often and must cost little.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

VERSION = 1
_HEADER = struct.Struct("<BBxxIII")
_RAW, _FLOAT32, _XOR = 1, 2, 4


class Points(NamedTuple):
    """Equally long columns in order of arrival; ``millis`` are Unix milliseconds."""

    steps: Ints
    millis: Ints
    values: Floats

    @classmethod
    def join(cls, parts: list[Points]) -> Points:
        """Return all points of ``parts``, in order."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def cut(self, where: slice | Ints | NDArray[np.bool_]) -> Points:
        """Return the points that an index, mask or slice selects."""
        return Points(self.steps[where], self.millis[where], self.values[where])


def encode_raw(points: Points) -> bytes:
    """Return a blob without compression."""
    columns = [column.tobytes() for column in points]
    return _blob(_RAW, len(points.steps), columns)


def encode(points: Points, level: int = 3) -> bytes:
    """Return a compressed blob; ``level`` is zstd's."""
    pack = zstandard.ZstdCompressor(level=level, write_content_size=True).compress
    flags, values = _pack_values(points.values, level)
    columns = [pack(shuffle(_differences(ints))) for ints in (points.steps, points.millis)]
    return _blob(flags, len(points.steps), [*columns, values])


def decode(blob: bytes) -> Points:
    """Return the points of a blob; writable arrays are not promised."""
    version, flags, count, first, second = _HEADER.unpack_from(blob)
    if version != VERSION:
        raise ValueError(f"metric chunk of version {version}; this version reads {VERSION}")
    at = _HEADER.size
    parts = [blob[at : at + first], blob[at + first : at + first + second]]
    parts.append(blob[at + first + second :])
    if flags & _RAW:
        steps, millis = (np.frombuffer(part, np.int64) for part in parts[:2])
        return Points(steps, millis, np.frombuffer(parts[2], np.float64))
    unpack = zstandard.ZstdDecompressor().decompress
    ints = [np.cumsum(unshuffle(unpack(part), count, np.int64)) for part in parts[:2]]
    return Points(ints[0], ints[1], _unpack_values(unpack(parts[2]), flags, count))


def shuffle(column: NDArray[Any]) -> bytes:
    """Return the bytes of a column, plane by plane."""
    return np.ascontiguousarray(column).view(np.uint8).reshape(len(column), -1).T.tobytes()


def unshuffle(data: bytes, count: int, kind: Any) -> NDArray[Any]:
    """Undo :func:`shuffle`."""
    planes = np.frombuffer(data, np.uint8).reshape(np.dtype(kind).itemsize, count)
    column: NDArray[Any] = np.ascontiguousarray(planes.T).view(kind).reshape(count)
    return column


def _blob(flags: int, count: int, columns: list[bytes]) -> bytes:
    head = _HEADER.pack(VERSION, flags, count, len(columns[0]), len(columns[1]))
    return b"".join([head, *columns])


def _differences(ints: Ints) -> Ints:
    # Wraps around at the ends of int64, and so does the sum that undoes it.
    made = ints.copy()
    made[1:] -= ints[:-1]
    return made


def _pack_values(values: Floats, level: int) -> tuple[int, bytes]:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        short = values.astype(np.float32)
        exact = bool(np.all((short.astype(np.float64) == values) | np.isnan(values)))
    bits: NDArray[Any] = short.view(np.uint32) if exact else values.view(np.uint64)
    flags = _FLOAT32 if exact else 0
    pack = zstandard.ZstdCompressor(level=level, write_content_size=True).compress
    plain = pack(shuffle(bits))
    changed = bits.copy()
    changed[1:] ^= bits[:-1]
    xored = pack(shuffle(changed))
    return (flags | _XOR, xored) if len(xored) < len(plain) else (flags, plain)


def _unpack_values(data: bytes, flags: int, count: int) -> Floats:
    bits, floats = (np.uint32, np.float32) if flags & _FLOAT32 else (np.uint64, np.float64)
    column = unshuffle(data, count, bits)
    if flags & _XOR:
        column = np.bitwise_xor.accumulate(column)
    return column.view(floats).astype(np.float64, copy=False)
