"""Append metric points to chunks.

A series has, for each attempt, full chunks (:data:`rollup.FULL` points, compressed, with
rollups), then small ones (compressed), then an open tail of fewer than :data:`SMALL` points
that is rewritten by every append. Each point is written a few times in all: amortised, an
append costs what it brings.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import func, select

from starforge.server.store import encode, rollup
from starforge.server.store.database import Tx
from starforge.server.store.encode import Points
from starforge.server.store.records import Series
from starforge.server.store.rollup import FULL
from starforge.server.store.rows import fields, upsert
from starforge.server.store.tables import chunks
from starforge.server.store.tables import series as series_table

SMALL = 64
TAIL_LEVEL, SMALL_LEVEL, FULL_LEVEL = 0, 1, 2
_BATCH = 500
_MANY = 2000  # names in a piece from which on they are looked up together
_MAX_SECONDS = 1e12  # beyond any clock; keeps milliseconds within int64
_KEY = ("series_id", "attempt", "seq")
MAX_SERIES = 10_000
"""Metrics of a job, unless the server is set otherwise."""

# steps, wall times (Unix seconds), values; equally long
Columns = tuple[Sequence[int], Sequence[float], Sequence[float]]


def append(
    tx: Tx,
    job_id: str,
    attempt: int,
    points: Mapping[str, Columns],
    native: Mapping[str, str] | None = None,
    *,
    most: int = MAX_SERIES,
) -> list[str]:
    """Append points by canonical name; ``native`` names the upstream metric of each.

    Wall times are kept to the millisecond. Names must be storable (see ``rows.clean``).
    Returns the names that were left out because the job has ``most`` metrics already.

    Raises:
        OverflowError: a step does not fit in 64 bits.
    """
    names = list(points)
    left_out: list[str] = []
    if len(names) > _MANY:
        names, left_out = _admitted(tx, job_id, names, most)
    for start in range(0, len(names), _BATCH):
        arrays = {name: _points(points[name]) for name in names[start : start + _BATCH]}
        batch = {name: array for name, array in arrays.items() if len(array.steps)}
        known = _known(tx, job_id, batch, native or {}, most)
        if len(known) < len(batch):
            left_out += [name for name in batch if name not in known]
            batch = {name: points for name, points in batch.items() if name in known}
        _append_batch(tx, attempt, batch, known)
    return left_out


def _admitted(tx: Tx, job_id: str, names: list[str], most: int) -> tuple[list[str], list[str]]:
    """Part many names into those that have room and the rest, with one look."""
    statement = select(series_table.c.name).where(series_table.c.job_id == job_id)
    known = set(tx.execute(statement).scalars())
    room = most - len(known)
    admitted: list[str] = []
    left_out: list[str] = []
    for name in names:
        if name not in known:
            room -= 1
        (admitted if name in known or room >= 0 else left_out).append(name)
    return admitted, left_out


def series(tx: Tx, job_id: str) -> list[Series]:
    """Return a job's metrics by name, without opening chunks."""
    columns = [series_table.c[name] for name in Series.__struct_fields__]
    statement = select(*columns).where(series_table.c.job_id == job_id)
    found = []
    for row in tx.execute(statement.order_by(series_table.c.name)):
        known = fields(row)
        if known["last_value"] is None and known["count"]:  # SQLite keeps NaN as NULL
            known["last_value"] = math.nan
        found.append(Series(**known))
    return found


def _points(columns: Columns) -> Points:
    times = np.nan_to_num(np.asarray(columns[1], np.float64))
    millis = np.rint(np.clip(times, -_MAX_SECONDS, _MAX_SECONDS) * 1000).astype(np.int64)
    return Points(np.asarray(columns[0], np.int64), millis, np.asarray(columns[2], np.float64))


def _append_batch(
    tx: Tx, attempt: int, batch: Mapping[str, Points], known: Mapping[str, Mapping[str, Any]]
) -> None:
    """Append points of series whose rows are known."""
    tails = _tails(tx, attempt, [row["id"] for row in known.values()])
    rewritten, stats = [], []
    for name, new in batch.items():
        series_id = int(known[name]["id"])
        seq, old = tails.get(series_id, (None, None))
        points = new if old is None else Points.join([old, new])
        if len(points.steps) >= SMALL:
            _settle(tx, series_id, attempt, points)
        else:
            if seq is None:
                seq, _ = _end(tx, series_id, attempt)
            rewritten.append(_row(series_id, attempt, seq, points, TAIL_LEVEL))
        stats.append(_stats(known[name], new))
    upsert(tx, chunks, _KEY, rewritten)
    upsert(tx, series_table, ("id",), stats)


def _known(
    tx: Tx, job_id: str, names: Iterable[str], native: Mapping[str, str], most: int
) -> dict[str, dict[str, Any]]:
    """Return the rows of series by name, new ones made as long as there is room."""
    wanted = list(names)
    mine = (series_table.c.job_id == job_id, series_table.c.name.in_(wanted))
    statement = select(series_table).where(*mine)
    found = {row.name: fields(row) for row in tx.execute(statement)}
    missing = [name for name in wanted if name not in found]
    if missing:
        count = select(func.count()).select_from(series_table)
        count = count.where(series_table.c.job_id == job_id)
        missing = missing[: max(0, most - tx.execute(count).scalar_one())]
    if missing:
        rows = [
            {"job_id": job_id, "name": name, "native": native.get(name, name), "count": 0}
            for name in missing
        ]
        tx.execute(series_table.insert(), rows)
        found = {row.name: fields(row) for row in tx.execute(statement)}
    return found


def _tails(tx: Tx, attempt: int, ids: list[int]) -> dict[int, tuple[int, Points]]:
    """Return the open tails by series: sequence number and points."""
    columns = (chunks.c.series_id, chunks.c.seq, chunks.c.data)
    mine = (chunks.c.series_id.in_(ids), chunks.c.attempt == attempt)
    statement = select(*columns).where(*mine, chunks.c.level == TAIL_LEVEL)
    return {row.series_id: (row.seq, encode.decode(row.data)) for row in tx.execute(statement)}


def _end(tx: Tx, series_id: int, attempt: int) -> tuple[int, list[tuple[int, int]]]:
    """Return the number of points in settled chunks, and the small ones as (seq, count)."""
    columns = (chunks.c.seq, chunks.c.count, chunks.c.level)
    mine = (chunks.c.series_id == series_id, chunks.c.attempt == attempt)
    # Small chunks hold at least SMALL points and fewer than FULL together.
    last = select(*columns).where(*mine).order_by(chunks.c.seq.desc()).limit(FULL // SMALL + 2)
    settled = [tuple(row) for row in tx.execute(last) if row.level != TAIL_LEVEL]
    end = settled[0][0] + settled[0][1] if settled else 0
    small = itertools.takewhile(lambda row: row[2] == SMALL_LEVEL, settled)
    return end, [(seq, count) for seq, count, _ in small][::-1]


def _settle(tx: Tx, series_id: int, attempt: int, points: Points) -> None:
    """Turn the tail with what came into a small chunk, or all small ones into full ones."""
    end, small = _end(tx, series_id, attempt)
    if sum(count for _, count in small) + len(points.steps) < FULL:
        row = _row(series_id, attempt, end, points, SMALL_LEVEL)
        upsert(tx, chunks, _KEY, [row])
        return
    start = small[0][0] if small else end
    mine = (chunks.c.series_id == series_id, chunks.c.attempt == attempt, chunks.c.seq >= start)
    level = chunks.c.level == SMALL_LEVEL
    blobs = tx.execute(select(chunks.c.data).where(*mine, level).order_by(chunks.c.seq))
    merged = Points.join([*(encode.decode(blob) for blob in blobs.scalars()), points])
    tx.execute(chunks.delete().where(*mine))
    count = len(merged.steps)
    rows = []
    for at in range(0, count, FULL):
        part = merged.cut(slice(at, min(at + FULL, count)))
        size = len(part.steps)
        kind = FULL_LEVEL if size == FULL else SMALL_LEVEL if size >= SMALL else TAIL_LEVEL
        rows.append(_row(series_id, attempt, start + at, part, kind))
    tx.execute(chunks.insert(), rows)


def _row(series_id: int, attempt: int, seq: int, points: Points, level: int) -> dict[str, Any]:
    steps, millis = points.steps, points.millis
    if level == TAIL_LEVEL:
        data = encode.encode_raw(points)
    else:
        data = encode.encode(points, 9 if level == FULL_LEVEL else 3)
    return {
        "series_id": series_id,
        "attempt": attempt,
        "seq": seq,
        "level": level,
        "count": len(steps),
        "ordered": bool(np.all(steps[1:] > steps[:-1])),
        "min_step": int(steps.min()),
        "max_step": int(steps.max()),
        "min_time": int(millis.min()) / 1000,
        "max_time": int(millis.max()) / 1000,
        "data": data,
        "rollup": rollup.encode(points) if level == FULL_LEVEL else None,
    }


def _stats(row: Mapping[str, Any], new: Points) -> dict[str, Any]:
    """Return the series row with what came counted in."""
    finite = new.values[np.isfinite(new.values)]
    least = [value for value in (row["minimum"],) if value is not None]
    most = [value for value in (row["maximum"],) if value is not None]
    if len(finite):
        least.append(float(finite.min()))
        most.append(float(finite.max()))
    return {
        **row,
        "count": row["count"] + len(new.steps),
        "last_step": int(new.steps[-1]),
        "last_value": float(new.values[-1]),
        "last_time": int(new.millis[-1]) / 1000,
        "minimum": min(least, default=None),
        "maximum": max(most, default=None),
    }
