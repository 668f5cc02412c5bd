"""Take bytes of a stream at an offset, exactly once.

Everything a chunk brings (points, sample index, scores, line index, notes) and the new
offset become visible in one transaction, so a crash at any moment leaves either all of it
or nothing, and the sender goes on from the offset it is told. Bytes of logs and samples
are written to files before the commit (see ``segments``). Decoding is done outside the
transaction: it is a pure function of the bytes, and slow next to the rest.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import msgspec
from sqlalchemy import func, select

from starforge import streams as decoders
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.plan import StreamFormat
from starforge.server.store import events, notes, scalars, scores
from starforge.server.store.database import Database, Tx
from starforge.server.store.naming import kept_name
from starforge.server.store.records import NewScore, StreamRow
from starforge.server.store.rows import clean, insert, struct
from starforge.server.store.segments import SEGMENT, StreamFiles, stream_name
from starforge.server.store.tables import attempts, samples, segments, streams

_FILED = ("log", "samples")
_SCALARS = ("tensorboard", "report")
_COLUMNS = [streams.c[name] for name in StreamRow.__struct_fields__]


class StreamChunk(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of one stream, as they lie in the file from ``offset`` on.

    ``names`` maps upstream metric names to canonical ones. ``final`` says nothing will
    follow, so that a last record without its newline is taken too.
    """

    job_id: str
    attempt: int
    path: str
    format: StreamFormat
    offset: int
    data: bytes
    names: Mapping[str, str] = {}
    final: bool = False
    max_series: int = scalars.MAX_SERIES


class Accepted(msgspec.Struct, frozen=True):
    """The new offset of a stream; ``news`` says that the job has new events."""

    offset: int
    news: bool = False


class OffsetMismatch(Exception):  # noqa: N818 - it is an answer, not a fault
    """The stream goes on at another offset: ``expected``."""

    def __init__(self, expected: int) -> None:
        super().__init__(f"expected offset {expected}")
        self.expected = expected


class _Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What a chunk says, decoded."""

    consumed: int
    notes: list[dict[str, Any]]
    points: dict[str, scalars.Columns] = {}
    native: dict[str, str] = {}
    rows: list[decoders.Row] = []


def accept(db: Database, files: StreamFiles, chunk: StreamChunk) -> int:
    """Like :func:`take`; returns only the new offset."""
    return take(db, files, chunk).offset


def take(db: Database, files: StreamFiles, chunk: StreamChunk) -> Accepted:
    """Take the whole records of ``chunk`` in one transaction.

    Raises:
        OffsetMismatch: the stream goes on elsewhere; nothing was taken.
        StarForgeError: no such attempt (``attempt/not-found``), a bad path
            (``stream/path``), another format than before (``stream/format``), disk full.
    """
    stream_name(chunk.path)  # refuse a bad path before anything else
    with db.read() as tx:
        known = _find(tx, chunk)
        _check(tx, chunk, known)
    taken = _decode(chunk)
    short = False
    with db.write() as tx:
        row = _find(tx, chunk) or _create(tx, chunk)
        _check(tx, chunk, row)
        short = chunk.format in _FILED and not files.has(
            chunk.job_id, chunk.attempt, chunk.path, row.offset
        )
        done = Accepted(_rewind(tx, files, row)) if short else _store(tx, files, row, chunk, taken)
    if short:
        raise OffsetMismatch(done.offset)
    if chunk.format in _FILED:
        files.seal(chunk.job_id, chunk.attempt, chunk.path, done.offset)
    return done


def add_note(db: Database, chunk: StreamChunk, kind: str, detail: str) -> bool:
    """Note something of the stream that ``chunk`` names, once a kind; say if it is news."""
    with db.write() as tx:
        row = _find(tx, chunk) or _create(tx, chunk)
        return notes.add(tx, row, notes.note(kind, detail, chunk.offset))


def offsets(tx: Tx, job_id: str, attempt: int) -> dict[str, int]:
    """Return how far each stream of an attempt was taken, by path."""
    mine = (streams.c.job_id == job_id, streams.c.attempt == attempt)
    rows = tx.execute(select(streams.c.path, streams.c.offset).where(*mine))
    return {row.path: row.offset for row in rows}


def _find(tx: Tx, chunk: StreamChunk) -> StreamRow | None:
    mine = (
        streams.c.job_id == chunk.job_id,
        streams.c.attempt == chunk.attempt,
        streams.c.path == chunk.path,
    )
    row = tx.execute(select(*_COLUMNS).where(*mine)).one_or_none()
    return None if row is None else struct(StreamRow, row)


def _check(tx: Tx, chunk: StreamChunk, row: StreamRow | None) -> None:
    """Refuse a chunk that cannot be the next one of its stream."""
    if row is None:
        mine = (attempts.c.job_id == chunk.job_id, attempts.c.number == chunk.attempt)
        if tx.execute(select(attempts.c.number).where(*mine)).one_or_none() is None:
            raise _no_attempt(chunk)
    elif row.format != chunk.format:
        raise _other_format(chunk, row)
    expected = 0 if row is None else row.offset
    if chunk.offset != expected:
        raise OffsetMismatch(expected)


def _create(tx: Tx, chunk: StreamChunk) -> StreamRow:
    values = {
        "job_id": chunk.job_id,
        "attempt": chunk.attempt,
        "path": chunk.path,
        "format": chunk.format,
        "offset": 0,
        "lines": 0,
        "notes": [],
        "updated_at": time.time(),
    }
    tx.execute(insert(tx, streams).values(values).on_conflict_do_nothing())
    made = _find(tx, chunk)
    assert made is not None
    return made


def _decode(chunk: StreamChunk) -> _Taken:
    if chunk.format in _SCALARS:
        decoded = decoders.decode_scalars(
            chunk.format, chunk.data, base=chunk.offset, final=chunk.final
        )
        points, native = _named(decoded.series, chunk.names)
        said = [asdict(note) for note in decoded.notes]
        said += _odd(chunk, points, native)
        return _Taken(consumed=decoded.consumed, notes=said, points=points, native=native)
    if chunk.format == "log":
        return _Taken(consumed=len(chunk.data), notes=[])
    rows = decoders.decode_rows(chunk.format, chunk.data, base=chunk.offset, final=chunk.final)
    said = [asdict(note) for note in rows.notes]
    return _Taken(consumed=rows.consumed, notes=said, rows=rows.rows)


def _named(
    series: decoders.ScalarBatch, names: Mapping[str, str]
) -> tuple[dict[str, scalars.Columns], dict[str, str]]:
    """Give series their canonical names; two upstream names may mean the same one."""
    points: dict[str, scalars.Columns] = {}
    native: dict[str, str] = {}
    for upstream, (steps, times, values) in series.items():
        name = kept_name(upstream, names)
        if name in points:
            old = points[name]
            points[name] = ([*old[0], *steps], [*old[1], *times], [*old[2], *values])
        else:
            points[name] = (steps, times, values)
            native[name] = clean(upstream)
    return points, native


def _odd(
    chunk: StreamChunk, points: Mapping[str, scalars.Columns], native: Mapping[str, str]
) -> list[notes.Note]:
    """Note names that had to be changed, and steps that go back or repeat."""
    found = []
    for name, upstream in native.items():
        if name != upstream and name != chunk.names.get(upstream):
            found.append(notes.note("renamed", name[:200], chunk.offset))
            break
    for name, (steps, _, values) in points.items():
        pairs = pairwise(zip(steps, values, strict=True))
        # The same value said twice, as TRL does of the epoch when it ends, loses nothing.
        if any(b < a or (b == a and new != old) for (a, old), (b, new) in pairs):
            found.append(notes.note("steps", name[:200], chunk.offset))
            break
    return found


def _store(
    tx: Tx, files: StreamFiles, row: StreamRow, chunk: StreamChunk, taken: _Taken
) -> Accepted:
    """Keep what a chunk says and move the stream's offset."""
    said, news = taken.notes, False
    data = chunk.data[: taken.consumed]
    offset, lines = row.offset + len(data), row.lines
    if chunk.format in _FILED and data:
        files.write(chunk.job_id, chunk.attempt, chunk.path, row.offset, data)
        lines += _index_lines(tx, row, data)
    if taken.points:
        most = chunk.max_series
        where = (tx, chunk.job_id, chunk.attempt)
        left_out = scalars.append(*where, taken.points, taken.native, most=most)
        if left_out:
            detail = f"{most}; {left_out[0][:200]}"
            said = [*said, notes.note("names", detail, row.offset, count=len(left_out))]
    if chunk.format == "samples" and taken.rows:
        tx.execute(samples.insert(), [_sample(row, item) for item in taken.rows])
    if chunk.format == "alerts":
        for item in taken.rows:
            events.add_alert(tx, row.job_id, row.attempt, item.data)
        news = bool(taken.rows)
    if chunk.format == "scores":
        scores.add(tx, chunk.job_id, chunk.attempt, [_score(item.data) for item in taken.rows])
    statement = streams.update().where(streams.c.id == row.id)
    values: dict[str, Any] = {"offset": offset, "lines": lines, "updated_at": time.time()}
    if said:
        values["notes"], noted = notes.merge(tx, row, said)
        news |= noted
    tx.execute(statement.values(**values))
    return Accepted(offset, news)


def _index_lines(tx: Tx, row: StreamRow, data: bytes) -> int:
    """Note for each segment that begins in ``data`` the newlines before it; count them all."""
    rows = []
    counted = at = 0
    while at < len(data):
        number, within = divmod(row.offset + at, SEGMENT)
        if within == 0:
            first = row.lines + counted
            rows.append({"stream_id": row.id, "number": number, "first_line": first})
        end = at + SEGMENT - within
        counted += data.count(b"\n", at, end)
        at = end
    if rows:
        tx.execute(segments.insert(), rows)
    return counted


def _sample(row: StreamRow, item: decoders.Row) -> dict[str, Any]:
    reward = item.data.get("reward")
    return {
        "stream_id": row.id,
        "offset": item.offset,
        "length": item.length,
        "job_id": row.job_id,
        "step": item.data["s"],
        "reward": None if reward is None or math.isnan(reward) else reward,
    }


def _score(data: dict[str, Any]) -> NewScore:
    moment, model = data["t"], data.get("model")
    return NewScore(
        benchmark=data["benchmark"],
        metric=data["metric"],
        value=data["value"],
        stderr=data["stderr"],
        items=data["items"],
        higher_is_better=data["higher_is_better"],
        settings=data["settings"],
        created_at=moment if moment is not None and math.isfinite(moment) else time.time(),
        model=model if isinstance(model, str) else "",
    )


def _rewind(tx: Tx, files: StreamFiles, row: StreamRow) -> int:
    """Go back to what the disk holds after a power cut; return that offset."""
    where = (row.job_id, row.attempt, row.path)
    held = min(files.held(*where), row.offset)
    if row.format == "samples":  # go on at the start of a record
        whole = samples.c.offset + samples.c.length
        mine = (samples.c.stream_id == row.id, whole <= held)
        held = tx.execute(select(func.max(whole)).where(*mine)).scalar() or 0
        lost = (samples.c.stream_id == row.id, samples.c.offset >= held)
        tx.execute(samples.delete().where(*lost))
    number, within = divmod(held, SEGMENT)
    first = select(segments.c.first_line).where(
        segments.c.stream_id == row.id, segments.c.number == number
    )
    lines = tx.execute(first).scalar() or 0
    lines += files.read(*where, held - within, held).count(b"\n")
    gone = number if within == 0 else number + 1  # a segment is noted when it begins
    beyond = (segments.c.stream_id == row.id, segments.c.number >= gone)
    tx.execute(segments.delete().where(*beyond))
    tx.execute(streams.update().where(streams.c.id == row.id).values(offset=held, lines=lines))
    return int(held)


def _no_attempt(chunk: StreamChunk) -> StarForgeError:
    return StarForgeError(
        "attempt/not-found",
        Text("job `{job}` has no attempt {attempt}", "任务 `{job}` 没有第 {attempt} 次尝试").format(
            job=chunk.job_id, attempt=chunk.attempt
        ),
        Text("`sf job show` lists the attempts", "用 `sf job show` 查看各次尝试"),
        status=404,
    )


def _other_format(chunk: StreamChunk, row: StreamRow) -> StarForgeError:
    return StarForgeError(
        "stream/format",
        Text(
            "stream `{path}` is of format {old}, not {new}",
            "数据流 `{path}` 的格式是 {old}，不是 {new}",
        ).format(path=chunk.path, old=row.format, new=chunk.format),
        Text("use another path for another format", "不同格式请使用不同的路径"),
        status=409,
    )
