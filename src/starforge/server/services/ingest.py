"""Takes what runners ship, and what they left in a folder, through the same code."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import structlog

from starforge.engines.streams import files_of, stream_of
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.plan import Stream
from starforge.server.core import Core
from starforge.server.store import events, ingest, notes
from starforge.server.store.ingest import OffsetMismatch, StreamChunk
from starforge.server.store.naming import kept_name
from starforge.streams import MAX_RECORD, decode_scalars

log = structlog.get_logger("starforge.ingest")

SCALARS = ("tensorboard", "report")
_UNUSABLE = frozenset({"stream/path", "stream/format"})  # of one file, now and for ever
LIVE = 1000  # metrics of a piece that are sent to live readers
PIECE = MAX_RECORD  # a whole record always fits, so reading goes forward


@dataclass(frozen=True)
class Target:
    """One stream of one attempt."""

    job_id: str
    attempt: int
    path: str
    stream: Stream


def target_of(core: Core, job_id: str, attempt: int, path: str) -> Target:
    """Return the stream a path means; refuse paths that are none of the job's plan."""
    stream = stream_of(core.plan(job_id), path)
    if stream is None:
        raise StarForgeError(
            "ingest/unknown-stream",
            Text(
                f"`{path}` is not a stream of job {job_id}", f"`{path}` 不是任务 {job_id} 的数据流"
            ),
            status=404,
        )
    return Target(job_id, attempt, path, stream)


def accept(core: Core, target: Target, offset: int, data: bytes, *, final: bool = False) -> int:
    """Take bytes of a stream at ``offset``; return the new offset.

    ``final`` says nothing will follow. Raises :class:`OffsetMismatch` when the stream goes
    on elsewhere.
    """
    chunk = StreamChunk(
        job_id=target.job_id,
        attempt=target.attempt,
        path=target.path,
        format=target.stream.format,
        offset=offset,
        data=data,
        names=target.stream.names,
        final=final,
        max_series=core.settings.max_metrics,
    )
    try:
        taken = ingest.take(core.db, core.files, chunk)
    except OffsetMismatch:
        core.counters.ingest_conflicts += 1
        raise
    new = taken.offset
    core.counters.ingest_chunks += 1
    core.counters.ingest_bytes += max(0, new - offset)
    if new > offset:
        _tell(core, target, data[: new - offset])
    if taken.news:
        core.bus.publish("job", target.job_id)
    return new


def offsets(core: Core, job_id: str, attempt: int) -> dict[str, int]:
    """Return how far each stream of an attempt was taken."""
    with core.db.read() as tx:
        return ingest.offsets(tx, job_id, attempt)


def drain(core: Core, job_id: str, attempt: int, folder: Path) -> int:
    """Take what is left of every stream in an attempt's folder; return the bytes taken.

    The attempt has ended: nothing writes any more, so a last record without its newline
    is taken too. A file that can't be read is logged and left where it is.
    """
    known = offsets(core, job_id, attempt)
    taken = 0
    sizes: dict[str, tuple[Target, int]] = {}
    for path, stream in files_of(core.plan(job_id), folder):
        target = Target(job_id, attempt, path, stream)
        try:
            taken += _drain_file(core, target, folder / path, known.get(path, 0))
            sizes[path] = target, (folder / path).stat().st_size
        except StarForgeError as error:
            if error.code not in _UNUSABLE:
                raise
            _say_unusable(core, job_id, error)
        except OSError as error:
            log.warning("stream file can't be read", job=job_id, path=path, error=str(error))
    now = offsets(core, job_id, attempt)
    for path, (target, size) in sizes.items():
        _look_at_size(core, target, size, now.get(path, 0))
    return taken


def _say_unusable(core: Core, job_id: str, error: StarForgeError) -> None:
    """Say once that a file can't be a stream; the job's end does not wait for it."""
    text = error.message
    with core.db.write() as tx:
        known = events.after(tx, job_id=job_id)
        if not any(one.kind == notes.EVENT and one.text == text for one in known):
            events.add(tx, notes.EVENT, job_id=job_id, text=text)


def _drain_file(core: Core, target: Target, file: Path, offset: int) -> int:
    taken = 0
    with file.open("rb") as handle:
        while True:
            handle.seek(offset)
            data = handle.read(PIECE)
            if not data:
                return taken
            try:
                new = accept(core, target, offset, data, final=len(data) < PIECE)
            except OffsetMismatch as mismatch:
                new = mismatch.expected
            else:
                taken += max(0, new - offset)
            if new <= offset:
                return taken
            offset = new


def _look_at_size(core: Core, target: Target, size: int, taken: int) -> None:
    """Say once that a file has become shorter than what was taken, or ends in half a record."""
    if size == taken:
        return
    chunk = StreamChunk(
        job_id=target.job_id,
        attempt=target.attempt,
        path=target.path,
        format=target.stream.format,
        offset=taken,
        data=b"",
    )
    kind = "shorter" if size < taken else "cut_off"
    if ingest.add_note(core.db, chunk, kind, f"{size} / {taken}"):
        core.bus.publish("job", target.job_id)


def _tell(core: Core, target: Target, data: bytes) -> None:
    core.bus.publish("stream", target.job_id, {"attempt": target.attempt, "path": target.path})
    if target.stream.format in SCALARS:
        live = core.bus.has_readers(target.job_id)
        core.bus.publish("metrics", target.job_id, _points(target, data) if live else {})


def _points(target: Target, data: bytes) -> dict[str, dict[str, Any]]:
    """Return the points of taken bytes by canonical name, for live curves."""
    decoded = decode_scalars(target.stream.format, data)
    return {
        kept_name(name, target.stream.names): {
            "step": list(columns.steps),
            "time": list(columns.times),
            "value": list(columns.values),
            "attempt": [target.attempt] * len(columns.steps),
        }
        for name, columns in islice(decoded.series.items(), LIVE)
    }
