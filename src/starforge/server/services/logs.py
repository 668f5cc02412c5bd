"""Logs of a job: which one is meant, and its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from starforge import layout
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.errors import not_found
from starforge.server.store import logs
from starforge.server.store.database import Tx
from starforge.server.store.logs import Lines
from starforge.server.store.records import Job, StreamRow
from starforge.wire.logs import LogLine, LogPage, LogStream

MAX_LINES = 10_000
SLICE = 1024 * 1024
_NAME = re.compile(rf"{layout.LOGS}/(?P<role>.+?)(?:-(?P<rank>\d+))?\.log")


@dataclass(frozen=True)
class Which:
    """Choose a log; without a choice: the newest attempt, the first role, rank 0."""

    attempt: int | None = None
    role: str | None = None
    rank: int | None = None


@dataclass(frozen=True)
class Window:
    """Choose lines: ``search`` and ``from_line`` go forward, otherwise the last ``tail``."""

    tail: int | None = None
    from_line: int | None = None
    limit: int = 1000
    search: str | None = None


def page(core: Core, job: Job, which: Which, window: Window) -> LogPage:
    """Return lines of one log, and which logs there are."""
    with core.db.read() as tx:
        rows = log_streams(tx, job.id)
        row = choose(job, rows, which)
        if row is None:
            return LogPage(stream=None, streams=[describe(one) for one in rows])
        found = _lines(tx, core, row, window)
    return LogPage(
        stream=describe(row),
        streams=[describe(one) for one in rows],
        lines=lines_of(found, row),
        next_line=found.next_line,
        total_lines=found.total,
    )


def log_streams(tx: Tx, job_id: str) -> list[StreamRow]:
    """Return a job's logs by attempt and path."""
    return [row for row in logs.streams(tx, job_id) if row.format == "log"]


def choose(job: Job, rows: list[StreamRow], which: Which) -> StreamRow | None:
    """Return the log that is meant; ``None`` when there is none yet."""
    attempts = {row.attempt for row in rows}
    wanted = which.attempt if which.attempt is not None else max(attempts, default=0)
    first = job.plan.processes[0].role if job.plan.processes else ""
    candidates = []
    for row in rows:
        role, rank = role_of(row.path)
        if row.attempt != wanted:
            continue
        if which.role is not None and role != which.role:
            continue
        if which.rank is not None and rank != which.rank:
            continue
        candidates.append((role != first, role, rank, row))
    if candidates:
        return min(candidates, key=lambda one: one[:3])[3]
    if which.role is not None or which.rank is not None or which.attempt is not None:
        raise _no_log(job, which, rows)
    return None


def role_of(path: str) -> tuple[str, int]:
    """Return role and rank of ``logs/<role>-<rank>.log``."""
    found = _NAME.fullmatch(path)
    if found is None:
        return path, 0
    return found["role"], int(found["rank"] or 0)


def describe(row: StreamRow) -> LogStream:
    """Return a log as the API shows it."""
    role, rank = role_of(row.path)
    return LogStream(
        attempt=row.attempt,
        path=row.path,
        role=role,
        rank=rank,
        lines=row.lines,
        bytes=row.offset,
    )


def lines_of(found: Lines, row: StreamRow) -> list[LogLine]:
    """Return lines; one without its newline yet is marked."""
    return [
        LogLine(line=line.number, text=line.text, partial=line.number >= row.lines, cut=line.cut)
        for line in found.lines
    ]


def raw(core: Core, job: Job, which: Which) -> Iterator[bytes]:
    """Yield the bytes of one log."""
    with core.db.read() as tx:
        row = choose(job, log_streams(tx, job.id), which)
    if row is None:
        return
    for start in range(0, row.offset, SLICE):
        yield logs.read_bytes(core.files, row, start, min(start + SLICE, row.offset))


def _lines(tx: Tx, core: Core, row: StreamRow, window: Window) -> Lines:
    limit = max(1, min(window.limit, MAX_LINES))
    start = max(0, window.from_line or 0)
    if window.search:
        return logs.search(tx, core.files, row, window.search, from_line=start, limit=limit)
    if window.from_line is not None:
        return logs.read(tx, core.files, row, from_line=start, count=limit)
    count = window.tail if window.tail is not None else limit
    return logs.tail(tx, core.files, row, max(0, min(count, MAX_LINES)))


def _no_log(job: Job, which: Which, rows: list[StreamRow]) -> Exception:
    shown = ", ".join(f"{row.path} (attempt {row.attempt})" for row in rows) or "-"
    asked = ", ".join(f"{k}={v}" for k, v in vars(which).items() if v is not None)
    return not_found(
        Text(f"job {job.id} has no log with {asked}", f"任务 {job.id} 没有符合 {asked} 的日志"),
        Text(f"it has: {shown}", f"已有的日志：{shown}"),
        code="job/no-log",
    )
