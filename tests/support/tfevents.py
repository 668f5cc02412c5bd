"""A tiny encoder of event files, written apart from the decoder under test."""

import struct


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked_bytes(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def record(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + masked_bytes(length) + payload + masked_bytes(payload)


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def sub(number: int, body: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(body)) + body


def scalar(tag: str, value: float) -> bytes:
    return sub(1, tag.encode()) + b"\x15" + struct.pack("<f", value)


def tensor(tag: str, body: bytes, plugin: str | None = "scalars") -> bytes:
    metadata = sub(9, sub(1, sub(1, plugin.encode()))) if plugin else b""
    return sub(1, tag.encode()) + sub(8, body) + metadata


def event(step: int, time: float, *values: bytes) -> bytes:
    body = b"\x09" + struct.pack("<d", time) + b"\x10" + varint(step)
    return body + sub(5, b"".join(sub(1, value) for value in values))
