"""A sample of a model's weights, read from its safetensors files."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy

from starforge.checks.model import MAX_HEADER, safetensors_whole, weight_files

PLACES = 4  # stretches of a tensor that are looked at
VALUES = 2048  # values of a stretch
_READ_AS = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}

Sample = list[tuple[int, "numpy.ndarray[Any, Any]"]]


def sample_weights(folder: Path) -> Sample:
    """Return for each matrix of a model how many weights it has, and the size of some of them.

    Sizes are absolute values (float64), zeros left out. Empty when the files are not whole, or
    of a format that is not read here. Norms and biases are too few to matter.
    """
    files, missing = weight_files(folder)
    if missing is not None:
        return []
    found: Sample = []
    for file in files:
        if file.suffix != ".safetensors" or not safetensors_whole(file):
            return []
        found += _of_file(file)
    return found


def _of_file(file: Path) -> Iterator[tuple[int, numpy.ndarray[Any, Any]]]:
    with file.open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        header = json.loads(stream.read(min(length, MAX_HEADER)))
        for name, one in header.items():
            if name == "__metadata__" or one.get("dtype") not in _READ_AS:
                continue
            shape = one.get("shape") or []
            if len(shape) < 2 or not math.prod(shape):
                continue
            begin, end = (8 + length + offset for offset in one["data_offsets"])
            values = numpy.concatenate(list(_stretches(stream, begin, end, one["dtype"])))
            sizes = numpy.abs(values[numpy.isfinite(values) & (values != 0)])
            if sizes.size:
                yield math.prod(shape), sizes


def _stretches(stream: Any, begin: int, end: int, dtype: str) -> Iterator[numpy.ndarray[Any, Any]]:
    """Yield evenly spread stretches of a tensor, as float64."""
    width = numpy.dtype(_READ_AS[dtype]).itemsize
    total = (end - begin) // width
    for place in range(PLACES):
        first = total * place // PLACES
        stream.seek(begin + first * width)
        count = min(VALUES, total * (place + 1) // PLACES - first)
        raw = numpy.frombuffer(stream.read(count * width), dtype=_READ_AS[dtype])
        if dtype == "BF16":  # the upper half of a float32
            raw = (raw.astype("<u4") << 16).view("<f4")
        yield raw.astype(numpy.float64)
