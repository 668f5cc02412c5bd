"""Runs of consecutive points summed up: least, greatest, mean, last, counts.

NaN and infinite values are counted apart and take no part in least, greatest and mean;
a run without any finite value has NaN there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from starforge.server.store.encode import Floats, Ints, Points, shuffle, unshuffle

FULL = 4096
"""Points of a full chunk."""
SIZES = (64, 512)
"""Points of a run at the levels kept with a full chunk; both divide :data:`FULL`."""


class Runs(NamedTuple):
    """Equally long columns; ``step``, ``millis``, ``attempt`` and ``last`` are those of the
    run's last point; ``size`` counts all its points, ``bad`` the non-finite ones.
    """

    step: Ints
    millis: Ints
    attempt: Ints
    mean: Floats
    minimum: Floats
    maximum: Floats
    last: Floats
    size: Ints
    bad: Ints

    @classmethod
    def join(cls, parts: Sequence[Runs]) -> Runs:
        """Return the runs of all parts, in order."""
        if not parts:
            return of_points(_NO_POINTS, 0)
        columns: list[NDArray[Any]] = [np.concatenate(each) for each in zip(*parts, strict=True)]
        return cls(*columns)

    def cut(self, where: Ints | NDArray[np.bool_]) -> Runs:
        """Return the runs that an index or mask selects."""
        columns: list[NDArray[Any]] = [column[where] for column in self]
        return Runs(*columns)


_NO_POINTS = Points(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float64))


def of_points(points: Points, attempt: int) -> Runs:
    """Return each point as a run of its own."""
    count = len(points.steps)
    finite = np.isfinite(points.values)
    clean = np.where(finite, points.values, np.nan)
    return Runs(
        step=points.steps,
        millis=points.millis,
        attempt=np.full(count, attempt, np.int64),
        mean=clean,
        minimum=clean,
        maximum=clean,
        last=points.values,
        size=np.ones(count, np.int64),
        bad=(~finite).astype(np.int64),
    )


def merge(runs: Runs, starts: Ints) -> Runs:
    """Join neighbouring runs; ``starts`` are the ascending indices where new ones begin."""
    if len(starts) == 0:
        return runs
    ends = np.append(starts[1:], len(runs.step)) - 1
    good = runs.size - runs.bad
    total = np.add.reduceat(good, starts)
    # Weights first, sum after: the sum of great finite values must not overflow.
    share = good / np.repeat(np.maximum(total, 1), ends - starts + 1)
    weighted = np.where(good > 0, runs.mean, 0.0) * share
    mean = np.where(total > 0, np.add.reduceat(weighted, starts), np.nan)
    return Runs(
        step=runs.step[ends],
        millis=runs.millis[ends],
        attempt=runs.attempt[ends],
        mean=mean,
        minimum=np.fmin.reduceat(runs.minimum, starts),
        maximum=np.fmax.reduceat(runs.maximum, starts),
        last=runs.last[ends],
        size=np.add.reduceat(runs.size, starts),
        bad=np.add.reduceat(runs.bad, starts),
    )


_KEPT = ("step", "millis", "mean", "minimum", "maximum", "last", "bad")


def encode(points: Points) -> bytes:
    """Return the rollups of a full chunk, one compressed frame a level."""
    pack = zstandard.ZstdCompressor(level=9, write_content_size=True).compress
    runs = of_points(points, 0)
    frames = []
    for size in SIZES:
        level = merge(runs, np.arange(0, FULL, size))
        frames.append(pack(b"".join(shuffle(getattr(level, name)) for name in _KEPT)))
    lengths = np.array([len(frame) for frame in frames], np.uint32)
    return lengths.tobytes() + b"".join(frames)


def decode(blob: bytes, size: int, attempt: int) -> Runs:
    """Return the runs of ``size`` points (one of :data:`SIZES`) of a full chunk."""
    lengths = np.frombuffer(blob, np.uint32, len(SIZES))
    which = SIZES.index(size)
    start = lengths.nbytes + int(lengths[:which].sum())
    raw = zstandard.ZstdDecompressor().decompress(blob[start : start + int(lengths[which])])
    count = FULL // size
    columns = {}
    for number, name in enumerate(_KEPT):
        kind = np.int64 if name in ("step", "millis", "bad") else np.float64
        part = raw[number * count * 8 : (number + 1) * count * 8]
        columns[name] = unshuffle(part, count, kind)
    return Runs(
        attempt=np.full(count, attempt, np.int64), size=np.full(count, size, np.int64), **columns
    )
