"""Live streams: a job's log lines, a job's changes, all jobs' changes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from starforge.errors import StarForgeError
from starforge.i18n import Lang
from starforge.server.api.sse import PING, comment, in_thread, sse
from starforge.server.bus import Message
from starforge.server.core import Core
from starforge.server.services import curves, logs, pipelines, sweeps, views
from starforge.server.services.tasks import Tasks, shape
from starforge.server.store import events, jobs
from starforge.server.store import logs as store_logs
from starforge.server.store.records import ENDED, Event, Job, JobSummary
from starforge.wire.base import Shape
from starforge.wire.logs import LogLine

BATCH = 2000  # lines sent in one go


class LogFollower:
    """Where a reader of one log stands."""

    def __init__(
        self, core: Core, job: Job, which: logs.Which, *, tail: int | None, from_line: int | None
    ) -> None:
        self._core = core
        self._job = job
        self._which = which
        self._tail = tail
        self.position = from_line

    def next_lines(self, *, ended: bool) -> list[LogLine]:
        """Return the next whole lines; one without its newline only once all has ended."""
        core = self._core
        with core.db.read() as tx:
            try:
                row = logs.choose(self._job, logs.log_streams(tx, self._job.id), self._which)
            except StarForgeError:
                if ended:
                    raise
                row = None  # not written yet
            if row is None:
                return []
            # A log once chosen is kept: the next attempt has another.
            self._which = logs.Which(row.attempt, *logs.role_of(row.path))
            if self.position is None:
                self.position = 0 if self._tail is None else max(0, row.lines - self._tail)
            found = store_logs.read(tx, core.files, row, from_line=self.position, count=BATCH)
        lines = [line for line in logs.lines_of(found, row) if ended or not line.partial]
        if lines:
            self.position = lines[-1].line + 1
        return lines


async def log_lines(core: Core, job: Job, follower: LogFollower) -> AsyncIterator[bytes]:
    """Yield the lines of one log as they come; ``end`` when the job has ended."""

    def wanted(message: Message) -> bool:
        return message.kind in ("stream", "job") and message.job == job.id

    yield comment("following")
    with core.bus.subscribe(wanted) as reader:
        while True:
            # The state is read first: what a job wrote before its end is there by then.
            ended = await in_thread(_has_ended, core, job.id)
            lines = await in_thread(follower.next_lines, ended=ended)
            if lines:
                yield b"".join(sse("line", line, line.line) for line in lines)
            if len(lines) >= BATCH:
                continue
            if ended:
                yield sse("end", {"next_line": follower.position or 0})
                return
            message = await reader.get(PING)
            if message is None:
                return
            if message.kind == "idle":
                yield comment()


async def job_events(core: Core, job_id: str, lang: Lang) -> AsyncIterator[bytes]:
    """Yield a job's changes, events and new points; ``end`` when it has ended."""

    def wanted(message: Message) -> bool:
        return message.job == job_id and message.kind in ("job", "metrics", "deleted")

    with core.bus.subscribe(wanted, job_id) as reader:
        last = await in_thread(_newest_event, core)
        row = await in_thread(_job, core, job_id)
        yield sse("job", views.job(row, lang))
        while row.state not in ENDED:
            message = await reader.get(PING)
            if message is None:
                return
            if message.kind == "idle":
                yield comment()
            elif message.kind == "metrics":
                if message.data:
                    yield sse("metrics", _points(message.data))
            elif message.kind == "deleted":
                break
            else:
                row = await in_thread(_job, core, job_id)
                yield sse("job", views.job(row, lang))
                for event in await in_thread(_events, core, job_id, last):
                    last = event.id
                    yield sse("event", views.event(event, lang), event.id)
        yield sse("end", {})


async def all_events(core: Core, tasks: Tasks, lang: Lang) -> AsyncIterator[bytes]:
    """Yield every change of every job, pipeline and sweep, and of background tasks."""

    def wanted(message: Message) -> bool:
        return message.kind in ("job", "deleted", "task", "pipeline", "sweep")

    yield comment("following")
    with core.bus.subscribe(wanted) as reader:
        while (message := await reader.get(PING)) is not None:
            if message.kind == "idle":
                yield comment()
            elif message.kind == "gap":
                yield sse("gap", {})
            elif message.kind == "task":
                yield sse("task", shape(tasks.get(str(message.data)), lang))
            elif message.kind == "deleted":
                yield sse("deleted", {"id": message.job})
            else:
                try:
                    yield sse(message.kind, await in_thread(_seen, core, message, lang))
                except StarForgeError:
                    continue  # deleted meanwhile


def _points(data: dict[str, Any]) -> dict[str, object]:
    return {
        name: curves.points(columns).model_dump(exclude_none=True) for name, columns in data.items()
    }


def _seen(core: Core, message: Message, lang: Lang) -> Shape:
    """Return what a message is about, as lists show it."""
    if message.kind == "pipeline":
        return pipelines.summary(core, str(message.data), lang)
    if message.kind == "sweep":
        return sweeps.summary(core, str(message.data))
    return views.job(_job(core, str(message.job)), lang)


def _job(core: Core, job_id: str) -> JobSummary:
    with core.db.read() as tx:
        return jobs.summary(tx, job_id)


def _has_ended(core: Core, job_id: str) -> bool:
    return _job(core, job_id).state in ENDED


def _newest_event(core: Core) -> int:
    with core.db.read() as tx:
        return events.newest(tx)


def _events(core: Core, job_id: str, after: int) -> list[Event]:
    with core.db.read() as tx:
        return events.after(tx, after, job_id=job_id)
