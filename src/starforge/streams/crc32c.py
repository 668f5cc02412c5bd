"""CRC-32C (Castagnoli) as TFRecords use it, in plain Python.

For one text, two tables of 65,536 entries let a step take four bytes; they are built at first
use, in some ten milliseconds. Many texts of one length go through the byte-wise algorithm side
by side: the registers of all are four long numbers, one for each byte of a register, and a
step takes one byte of every text.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_WORD = 0xFFFFFFFF


def _advance(register: int, bits: int) -> int:
    """Shift ``bits`` zero bits through the register."""
    for _ in range(bits):
        register = (register >> 1) ^ (_POLYNOMIAL if register & 1 else 0)
    return register


def _span(basis: list[int]) -> list[int]:
    """Return the XOR of every subset of ``basis``, indexed by bit mask."""
    table = [0]
    for one in basis:
        table += [one ^ entry for entry in table]
    return table


@functools.cache
def _tables() -> tuple[list[int], list[int], list[int]]:
    """Tables for a low half word, a high half word, and a single byte."""
    low = _span([_advance(1 << bit, 32) for bit in range(16)])
    high = _span([_advance(1 << bit, 32) for bit in range(16, 32)])
    byte = _span([_advance(1 << bit, 8) for bit in range(8)])
    return low, high, byte


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of ``data``."""
    low, high, byte = _tables()
    register = _WORD
    words = len(data) // 4
    for word in struct.unpack_from(f"<{words}I", data):
        register ^= word
        register = low[register & 0xFFFF] ^ high[register >> 16]
    for value in data[words * 4 :]:
        register = byte[(register ^ value) & 0xFF] ^ (register >> 8)
    return register ^ _WORD


@functools.cache
def _planes() -> list[bytes]:
    """The table of a single byte as four tables, one for each byte of its entries."""
    entries = _tables()[2]
    return [bytes(entry >> shift & 0xFF for entry in entries) for shift in (0, 8, 16, 24)]


def crc32c_many(texts: Sequence[bytes]) -> list[int]:
    """Return the CRC-32C of each of ``texts``, which are equally long."""
    count, size = len(texts), len(texts[0])
    joined = b"".join(texts)
    first, second, third, fourth = _planes()
    number = int.from_bytes
    low = lower = upper = high = number(b"\xff" * count, "little")
    for at in range(size):
        index = (number(joined[at::size], "little") ^ low).to_bytes(count, "little")
        low = lower ^ number(index.translate(first), "little")
        lower = upper ^ number(index.translate(second), "little")
        upper = high ^ number(index.translate(third), "little")
        high = number(index.translate(fourth), "little")
    woven = bytearray(4 * count)
    for place, plane in enumerate((low, lower, upper, high)):
        woven[place::4] = plane.to_bytes(count, "little")
    return [register ^ _WORD for register in struct.unpack(f"<{count}I", woven)]


def masked(data: bytes) -> int:
    """Return the masked CRC that TFRecords store: rotated by 15 bits, plus a constant."""
    return mask(crc32c(data))


def mask(crc: int) -> int:
    """Return a CRC as TFRecords store it."""
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & _WORD
