"""Read metric curves: whole, windowed, or down to buckets."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from starforge.server.store import encode, rollup
from starforge.server.store.database import Tx
from starforge.server.store.encode import Points
from starforge.server.store.rollup import SIZES, Runs
from starforge.server.store.scalars import FULL_LEVEL
from starforge.server.store.tables import chunks, series

Axis = Literal["step", "time"]
_BATCH = 500
_FINENESS = 4
"""Runs a bucket should have at least, when it is made of kept runs instead of points."""


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """Equally long columns, in order of step.

    Without buckets one entry is one point (``minimum == maximum == value``, count 1).
    With buckets an entry is a run of points: step, time and attempt of its last point,
    ``value`` the mean of its finite values (NaN when there is none), ``last`` its last
    value, ``count`` all its points, ``nonfinite`` those that are NaN or infinite.
    The ``value`` of an entry of one point is that point's, NaN and infinity too.
    """

    step: NDArray[np.int64]
    time: NDArray[np.float64]
    value: NDArray[np.float64]
    attempt: NDArray[np.int64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    last: NDArray[np.float64]
    count: NDArray[np.int64]
    nonfinite: NDArray[np.int64]


class Window(NamedTuple):
    """What part of a curve is wanted; both ends belong to it."""

    x: Axis
    lo: float
    hi: float
    buckets: int | None


class _Chunk(NamedTuple):
    """What the table says of a chunk without opening it."""

    seq: int
    level: int
    size: int
    ordered: bool
    min_step: int
    max_step: int
    min_time: float
    max_time: float

    def within(self, window: Window, cut: float) -> bool:
        """Say whether every point is wanted."""
        low, high = self._ends(window.x)
        return low >= window.lo and high <= window.hi and self.max_step < cut

    def touches(self, window: Window, cut: float) -> bool:
        """Say whether some point may be wanted."""
        low, high = self._ends(window.x)
        return high >= window.lo and low <= window.hi and self.min_step < cut

    def _ends(self, x: Axis) -> tuple[float, float]:
        if x == "step":
            return self.min_step, self.max_step
        return self.min_time, self.max_time


def read(
    tx: Tx,
    job_id: str,
    names: Collection[str] | None = None,
    *,
    buckets: int | None = None,
    lo: float | None = None,
    hi: float | None = None,
    x: Axis = "step",
    attempt: int | None = None,
    merged: bool = True,
) -> dict[str, Curve]:
    """Return curves by name (unknown names are left out).

    ``lo`` and ``hi`` (inclusive, in units of ``x``) choose a window; ``buckets`` is the
    most entries wanted. ``attempt`` picks one attempt; otherwise ``merged`` lets later
    attempts win: points of earlier ones at or after a later one's first step are left out.
    ``merged=False`` gives all attempts one after the other, each with its own buckets.

    Steps that went back within an attempt come sorted; of equal steps the last one counts.
    """
    window = Window(x, -math.inf if lo is None else lo, math.inf if hi is None else hi, buckets)
    found = {}
    for series_id, name in _series(tx, job_id, names):
        attempts = _chunks(tx, series_id, attempt)
        if merged:
            runs = _bucketed(_merged(tx, series_id, attempts, window), window)
        else:
            each = (_merged(tx, series_id, {n: known}, window) for n, known in attempts.items())
            runs = Runs.join([_bucketed(one, window) for one in each])
        found[name] = _curve(runs)
    return found


def _series(tx: Tx, job_id: str, names: Collection[str] | None) -> list[tuple[int, str]]:
    statement = select(series.c.id, series.c.name).where(series.c.job_id == job_id)
    if names is not None:
        statement = statement.where(series.c.name.in_(list(names)))
    return [(row.id, row.name) for row in tx.execute(statement.order_by(series.c.name))]


def _chunks(tx: Tx, series_id: int, attempt: int | None) -> dict[int, list[_Chunk]]:
    """Return what is known of a series' chunks, by attempt, in order of arrival."""
    columns = [chunks.c["count" if name == "size" else name] for name in _Chunk._fields]
    statement = select(chunks.c.attempt, *columns).where(chunks.c.series_id == series_id)
    if attempt is not None:
        statement = statement.where(chunks.c.attempt == attempt)
    found: dict[int, list[_Chunk]] = {}
    for number, *known in tx.execute(statement.order_by(chunks.c.attempt, chunks.c.seq)):
        found.setdefault(number, []).append(_Chunk(*known))
    return found


def _merged(tx: Tx, series_id: int, attempts: dict[int, list[_Chunk]], window: Window) -> Runs:
    """Return the wanted part of all attempts as runs, in order of step."""
    cuts = _cuts(attempts)
    size = _size(attempts, cuts, window)
    parts = []
    for number, known in attempts.items():
        load = _Loader(tx, series_id, number, window, cuts[number])
        tidy = _is_tidy(known)
        parts.append(load.tidy(known, size if tidy else 1) if tidy else load.untidy(known))
    return Runs.join(parts)


def _cuts(attempts: dict[int, list[_Chunk]]) -> dict[int, float]:
    """Return for each attempt the step from which on later ones count instead."""
    cuts: dict[int, float] = {}
    cut = math.inf
    for number in sorted(attempts, reverse=True):
        cuts[number] = cut
        cut = min(cut, *(chunk.min_step for chunk in attempts[number]))
    return cuts


def _is_tidy(known: list[_Chunk]) -> bool:
    """Say whether steps strictly increase over all chunks of an attempt."""
    if not all(chunk.ordered for chunk in known):
        return False
    return all(a.max_step < b.min_step for a, b in pairwise(known))


def _size(attempts: dict[int, list[_Chunk]], cuts: dict[int, float], window: Window) -> int:
    """Choose the coarsest kept runs that are fine enough for the buckets; 1 is points."""
    if window.buckets is None:
        return 1
    wanted = sum(
        chunk.size
        for number, known in attempts.items()
        for chunk in known
        if chunk.touches(window, cuts[number])
    )
    fine = (size for size in reversed(SIZES) if wanted >= size * window.buckets * _FINENESS)
    return next(fine, 1)


class _Loader:
    """Opens chunks of one attempt of one series."""

    def __init__(self, tx: Tx, series_id: int, attempt: int, window: Window, cut: float) -> None:
        self.tx = tx
        self.mine = (chunks.c.series_id == series_id, chunks.c.attempt == attempt)
        self.attempt = attempt
        self.window = window
        self.cut = cut

    def tidy(self, known: list[_Chunk], size: int) -> Runs:
        """Return the wanted part of chunks in order; kept runs of ``size`` where they fit."""
        window, cut = self.window, self.cut
        wanted = [chunk for chunk in known if chunk.touches(window, cut)]
        summed = {
            chunk.seq
            for chunk in wanted
            if size > 1 and chunk.level == FULL_LEVEL and chunk.within(window, cut)
        }
        opened = [chunk.seq for chunk in wanted if chunk.seq not in summed]
        parts = dict(self._rollups(sorted(summed), size))
        for seq, points in self._data(opened):
            parts[seq] = rollup.of_points(self._filter(points), self.attempt)
        return Runs.join([parts[chunk.seq] for chunk in wanted])

    def untidy(self, known: list[_Chunk]) -> Runs:
        """Return the wanted points sorted by step, the last of equal steps only."""
        points = Points.join([points for _, points in self._data([c.seq for c in known])])
        points = points.cut(np.argsort(points.steps, kind="stable"))
        last = np.append(points.steps[1:] != points.steps[:-1], True)
        return rollup.of_points(self._filter(points.cut(last)), self.attempt)

    def _filter(self, points: Points) -> Points:
        x = _axis(points.steps, points.millis, self.window.x)
        keep = (x >= self.window.lo) & (x <= self.window.hi) & (points.steps < self.cut)
        return points if bool(keep.all()) else points.cut(keep)

    def _rollups(self, seqs: list[int], size: int) -> Iterable[tuple[int, Runs]]:
        for start in range(0, len(seqs), _BATCH):
            batch = chunks.c.seq.in_(seqs[start : start + _BATCH])
            statement = select(chunks.c.seq, chunks.c.rollup).where(*self.mine, batch)
            for row in self.tx.execute(statement):
                yield row.seq, rollup.decode(row.rollup, size, self.attempt)

    def _data(self, seqs: list[int]) -> Iterable[tuple[int, Points]]:
        statement = select(chunks.c.seq, chunks.c.data).where(*self.mine)
        for start in range(0, len(seqs), _BATCH):
            batch = statement.where(chunks.c.seq.in_(seqs[start : start + _BATCH]))
            for row in self.tx.execute(batch.order_by(chunks.c.seq)):
                yield row.seq, encode.decode(row.data)


def _axis(steps: NDArray[np.int64], millis: NDArray[np.int64], x: Axis) -> NDArray[np.float64]:
    return steps.astype(np.float64) if x == "step" else millis / 1000


def _bucketed(runs: Runs, window: Window) -> Runs:
    """Join runs into at most ``window.buckets`` of equal width along the axis."""
    if window.buckets is None or len(runs.step) <= window.buckets:
        return runs
    x = _axis(runs.step, runs.millis, window.x)
    low = max(window.lo, float(x.min()))
    span = min(window.hi, float(x.max())) - low
    if span <= 0:
        return rollup.merge(runs, np.zeros(1, np.int64))
    which = np.clip(((x - low) / span * window.buckets).astype(np.int64), 0, window.buckets - 1)
    if np.any(which[1:] < which[:-1]):  # the clock went back
        order = np.argsort(which, kind="stable")
        runs, which = runs.cut(order), which[order]
    starts = np.flatnonzero(np.append(True, which[1:] != which[:-1]))
    return rollup.merge(runs, starts)


def _curve(runs: Runs) -> Curve:
    single = runs.size == 1
    return Curve(
        step=runs.step,
        time=runs.millis / 1000,
        value=np.where(single, runs.last, runs.mean),
        attempt=runs.attempt,
        minimum=runs.minimum,
        maximum=runs.maximum,
        last=runs.last,
        count=runs.size,
        nonfinite=runs.bad,
    )
