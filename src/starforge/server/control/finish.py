"""The end of an attempt: streams made whole, outputs taken, then the state shown."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import structlog

from starforge import layout
from starforge.engines.local.engine import read_status
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.services import again, follow_ups, ingest, outputs
from starforge.server.services.endings import STOPPED, ending_text, lost_text
from starforge.server.services.headline import update_headline
from starforge.server.services.status import read_progress
from starforge.server.store import attempts, events, jobs, sweeps
from starforge.server.store.database import Tx
from starforge.server.store.records import ACTIVE, AttemptChange, JobChange, JobState, JobSummary

log = structlog.get_logger("starforge.control")

PRUNED = "pruned"
"""Reason of a trial that its sweep ended early."""
_ENDS: dict[str, JobState] = {"succeeded": "succeeded", "failed": "failed", "stopped": "stopped"}


class Ending(msgspec.Struct, frozen=True):
    """How an attempt ended; ``status`` is the runner's record, empty when there is none."""

    state: JobState
    reason: str
    message: Text | None
    status: dict[str, Any] = {}


def finish(core: Core, job: JobSummary, *, lost: bool, detail: str = "") -> None:
    """End the current attempt of ``job`` from the runner's record, or as lost.

    Every step may be repeated: after a crash of the server in the middle the next one
    does it all again, and nothing is there twice.
    """
    attempt = job.current_attempt or 0
    job_dir = core.settings.job_dir(job.id)
    folder = layout.attempt_dir(job_dir, attempt)
    if lost:
        core.engine.cancel(job.id, attempt, job_dir, force=True)
    left = ingest.drain(core, job.id, attempt, folder)
    with core.db.read() as tx:
        job = jobs.summary(tx, job.id)  # it may have been asked to stop meanwhile
    ending = _ending(job, read_status(folder), lost=lost, detail=detail)
    outputs.collect(core, job.id, attempt, succeeded=ending.state == "succeeded")
    update_headline(core, job.id)
    follow_ups.note_check(core, job.id)
    record(core, job, ending)
    log.info("attempt ended", job=job.id, attempt=attempt, state=ending.state, left=left)


def _ending(job: JobSummary, status: dict[str, Any], *, lost: bool, detail: str) -> Ending:
    if not lost:
        state = _ENDS[str(status["state"])]
        return Ending(state, str(status.get("reason")), ending_text(status), status)
    if job.desired == "stop":
        return Ending("stopped", "stopped_by_user", STOPPED, status)
    return Ending("failed", "runner_lost", lost_text(detail), status)


def record(core: Core, job: JobSummary, ending: Ending) -> None:
    """Show the end: job, attempt and event in one transaction."""
    ended = _time(ending.status.get("ended_at")) or time.time()
    started = _time(ending.status.get("started_at"))
    code = ending.status.get("exit_code")
    ended = max(ended, started or 0.0)  # the wall clock may have gone back
    retry = again.MachineRetry(core, job, ending.state, ending.reason)
    with core.db.write() as tx:
        current = jobs.summary(tx, job.id)
        ending = _named(tx, job, ending)
        step, total = read_progress(ending.status)
        change = JobChange(
            state=ending.state,
            reason=ending.reason,
            message=ending.message,
            ended_at=ended,
            started_at=current.started_at or started,
            progress_step=step if step is not None else current.progress_step,
            progress_total=total if total is not None else current.progress_total,
        )
        if not jobs.change(tx, job.id, change, expect={*ACTIVE, "queued"}):
            return
        attempts.change(
            tx,
            job.id,
            job.current_attempt or 0,
            AttemptChange(
                state=ending.state,
                reason=ending.reason,
                message=ending.message,
                ended_at=ended,
                exit_code=code if isinstance(code, int) else None,
                started_at=started,
            ),
        )
        data = {"reason": ending.reason}
        events.add(tx, ending.state, job_id=job.id, text=ending.message, data=data)
        retry.queue(tx)
    core.bus.publish("job", job.id)
    core.bus.publish("wake")


def _named(tx: Tx, job: JobSummary, ending: Ending) -> Ending:
    """Say of a stop that nobody asked for why it was: a sweep ended its trial early."""
    if ending.reason != "stopped_by_user":
        return ending
    why = sweeps.pruned(tx, job.id)
    return ending if why is None else Ending(ending.state, PRUNED, why, ending.status)


def _time(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and value > 0 else None
