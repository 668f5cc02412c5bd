"""Scalars of TensorBoard event files: the few protobuf fields they need, nothing else.

Both forms are read: ``simple_value`` (older writers, PyTorch) and one-element tensors of
the ``scalars`` plugin (newer writers). Images, histograms, texts and graphs are passed over.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from starforge.streams.model import Columns, Decoded, ScalarBatch
from starforge.streams.notes import NoteList
from starforge.streams.rows import is_name
from starforge.streams.tfrecord import TFRecords

_double = struct.Struct("<d").unpack_from
_float = struct.Struct("<f").unpack_from
_half = struct.Struct("<e").unpack_from

Field = tuple[int, int, int, int]
"""Field number, wire type, and either the number itself (type 0) or start and end."""

# An event as `add_scalar` writes it, all lengths in one byte: time, step, one value with its
# tag and `simple_value`. Nearly all events are of this form, and this is much faster.
_PLAIN = re.compile(
    rb"\x09(.{8})(?:\x10([\x80-\xff]{0,9}[\x00-\x7f]))?"
    rb"\x2a([\x00-\x7f])\x0a([\x00-\x7f])\x0a([\x00-\x7f])(.*)\x15(.{4})",
    re.DOTALL,
).fullmatch

_DT_FLOAT, _DT_DOUBLE, _DT_INT32, _DT_INT64 = 1, 2, 3, 9
_DT_BFLOAT16, _DT_HALF = 14, 19
_TENSOR_CONTENT = 4
_SIZES = {
    _DT_FLOAT: 4, _DT_DOUBLE: 8, _DT_INT32: 4, _DT_INT64: 8, _DT_BFLOAT16: 2, _DT_HALF: 2,
}  # fmt: skip
# Which TensorProto field holds the values of a type when it isn't `tensor_content`.
_VALUE_FIELDS = {
    _DT_FLOAT: 5, _DT_DOUBLE: 6, _DT_INT32: 7, _DT_INT64: 10, _DT_BFLOAT16: 13, _DT_HALF: 13,
}  # fmt: skip


def decode(data: bytes, *, base: int = 0) -> Decoded:
    """Decode the scalars of whole records; ``base`` is the stream offset of ``data[0]``."""
    notes = NoteList()
    records = TFRecords(data, notes, base=base)
    series: ScalarBatch = {}
    plain: dict[bytes, Columns] = {}
    for offset, payload in records:
        try:
            if not _plain_event(payload, series, plain):
                _event(payload, series)
        except (IndexError, ValueError, struct.error) as error:
            length = len(payload) + 16
            notes.add("invalid", f"not an event: {error}", base + offset, length)
    return Decoded(records.consumed, series, notes.notes)


def _plain_event(data: bytes, series: ScalarBatch, known: dict[bytes, Columns]) -> bool:
    """Add the scalar of an event of the form :data:`_PLAIN`; say if it was of that form.

    ``known`` are the columns by the bytes of their tag.
    """
    match = _PLAIN(data)
    if match is None:
        return False
    moment, number, outer, inner, length, tag, value = match.groups()
    size = len(tag)
    if length[0] != size or inner[0] != size + 7 or outer[0] != size + 9:
        return False
    columns = known.get(tag)
    if columns is None:
        name = tag.decode("utf-8", "replace")
        if not is_name(name):
            return True
        columns = known[tag] = series.setdefault(name, Columns([], [], []))
    steps, times, values = columns
    steps.append(_signed(_varint(number, 0)[0]) if number else 0)
    times.append(_double(moment)[0])
    values.append(_float(value)[0])
    return True


def _event(data: bytes, series: ScalarBatch) -> None:
    """Add the scalars of one ``Event`` to ``series``."""
    wall_time, step = 0.0, 0
    found: list[tuple[str, float]] = []
    for number, wire, start, end in _fields(data, 0, len(data)):
        if number == 1 and wire == 1:
            wall_time = _double(data, start)[0]
        elif number == 2 and wire == 0:
            step = _signed(start)
        elif number == 5 and wire == 2:
            for inner, kind, first, last in _fields(data, start, end):
                if inner == 1 and kind == 2:
                    _value(data, first, last, found)
    for tag, value in found:
        columns = series.get(tag)
        if columns is None:
            columns = series[tag] = Columns([], [], [])
        columns.steps.append(step)
        columns.times.append(wall_time)
        columns.values.append(value)


def _value(data: bytes, start: int, end: int, found: list[tuple[str, float]]) -> None:
    """Append ``(tag, value)`` of one ``Summary.Value`` if it is a scalar."""
    tag, value, plugin = "", None, "scalars"
    tensor: tuple[int, int] | None = None
    for number, wire, first, last in _fields(data, start, end):
        if number == 1 and wire == 2:
            tag = data[first:last].decode("utf-8", "replace")
        elif number == 2 and wire == 5:
            value = _float(data, first)[0]
        elif number == 8 and wire == 2:
            tensor = (first, last)
        elif number == 9 and wire == 2:
            plugin = _plugin(data, first, last)
    if value is None and tensor is not None and plugin == "scalars":
        value = _tensor(data, *tensor)
    if value is not None and is_name(tag):
        found.append((tag, value))


def _plugin(data: bytes, start: int, end: int) -> str:
    """Return ``SummaryMetadata.plugin_data.plugin_name``."""
    for number, wire, first, last in _fields(data, start, end):
        if number == 1 and wire == 2:
            for inner, kind, left, right in _fields(data, first, last):
                if inner == 1 and kind == 2:
                    return data[left:right].decode("utf-8", "replace")
    return "scalars"


def _tensor(data: bytes, start: int, end: int) -> float | None:
    """Return the value of a one-element numeric ``TensorProto``, else ``None``."""
    dtype = 0
    fields: dict[int, Field] = {}
    for entry in _fields(data, start, end):
        if entry[0] == 1 and entry[1] == 0:
            dtype = entry[2]
        fields[entry[0]] = entry
    size = _SIZES.get(dtype)
    if size is None:
        return None
    content = fields.get(_TENSOR_CONTENT)
    if content and content[1] == 2 and content[3] > content[2]:
        raw = data[content[2] : content[3]]
        return _number(dtype, raw) if len(raw) == size else None
    entry_ = fields.get(_VALUE_FIELDS[dtype])
    return _listed(data, dtype, entry_) if entry_ else None


def _listed(data: bytes, dtype: int, entry: Field) -> float | None:
    """Return the one value of a ``*_val`` field, packed or not."""
    _, wire, start, end = entry
    if dtype in (_DT_FLOAT, _DT_DOUBLE):
        size = _SIZES[dtype]
        return _number(dtype, data[start:end]) if end - start == size else None
    if wire == 2:
        start, after = _varint(data, start)
        if after != end:
            return None
    if dtype in (_DT_INT32, _DT_INT64):
        return float(_signed(start))
    return _number(dtype, (start & 0xFFFF).to_bytes(2, "little"))


def _number(dtype: int, raw: bytes) -> float:
    """Read one little-endian number of a tensor."""
    if dtype == _DT_FLOAT:
        return float(_float(raw)[0])
    if dtype == _DT_DOUBLE:
        return float(_double(raw)[0])
    if dtype == _DT_HALF:
        return float(_half(raw)[0])
    if dtype == _DT_BFLOAT16:
        return float(_float(b"\0\0" + raw)[0])
    return float(int.from_bytes(raw, "little", signed=True))


def _signed(value: int) -> int:
    """Read a varint as an int64."""
    return value - (1 << 64) if value >> 63 else value


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Return a varint and the position after it."""
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, position
        shift += 7
        if shift > 63:
            raise ValueError("number too long")


def _fields(data: bytes, position: int, end: int) -> Iterator[Field]:
    """Yield the fields of a message; see :data:`Field`."""
    while position < end:
        key = data[position]
        position += 1
        if key >= 0x80:
            key, position = _varint(data, position - 1)
        wire = key & 7
        if wire == 2:
            size = data[position]
            position += 1
            if size >= 0x80:
                size, position = _varint(data, position - 1)
        elif wire == 0:
            value, position = _varint(data, position)
            yield key >> 3, 0, value, position
            continue
        elif wire == 1:
            size = 8
        elif wire == 5:
            size = 4
        else:
            raise ValueError(f"wire type {wire}")
        start, position = position, position + size
        if position > end:
            raise ValueError("field runs over its message")
        yield key >> 3, wire, start, position
