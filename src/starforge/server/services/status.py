"""Takes over what a runner says of its attempt while it runs."""

from __future__ import annotations

import math
import time
from typing import Any

from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.services.pace import PACES
from starforge.server.store import attempts, events, jobs
from starforge.server.store.database import Tx
from starforge.server.store.records import (
    ACTIVE,
    AttemptChange,
    Desired,
    JobChange,
    JobState,
    JobSummary,
)

_MOST = 1 << 53  # steps beyond are no steps
_LIVE: dict[str, JobState] = {
    "starting": "starting",
    "running": "running",
    "stopping": "stopping",
}


def is_news(job: JobSummary, status: dict[str, Any]) -> bool:
    """Say whether a live status differs from what is known of the job."""
    state = _LIVE.get(str(status.get("state")))
    if state is None:
        return False
    if job.desired == "stop":
        state = "stopping"
    return _job_change(job, state, _number(status.get("started_at")), status) is not None


def apply_status(core: Core, job_id: str, attempt: int, status: dict[str, Any]) -> Desired:
    """Record a live status; return what the user wants of the attempt.

    An attempt's end is never taken from here: first its streams must be whole (see
    ``control.finish``). A status of an attempt that is not the job's current one is late
    news; its runner is told to stop.
    """
    with core.db.write() as tx:
        job = jobs.summary(tx, job_id)
        if job.current_attempt != attempt or job.state not in ACTIVE:
            return "stop"
        changed = _apply(tx, job, attempt, status)
    step, _ = read_progress(status)
    if step is not None:
        PACES.saw(job_id, attempt, step)
    if changed:
        core.bus.publish("job", job_id)
    return job.desired


def _apply(tx: Tx, job: JobSummary, attempt: int, status: dict[str, Any]) -> bool:
    state = _LIVE.get(str(status.get("state")))
    started = _number(status.get("started_at"))
    if state is None:  # its last words: the reconciler takes it from here
        attempts.change(tx, job.id, attempt, AttemptChange(heartbeat_at=time.time()))
        return False
    if job.desired == "stop" and state != "stopping":
        state = "stopping"
    elif state == "starting" and job.state == "running":
        state = "running"  # read before the heartbeat that came first: an attempt starts once
    attempts.change(
        tx,
        job.id,
        attempt,
        AttemptChange(state=state, heartbeat_at=time.time(), started_at=started),
    )
    change = _job_change(job, state, started, status)
    if change is None:
        return False
    jobs.change(tx, job.id, change, expect=ACTIVE)
    if state != job.state and state == "running":
        text = Text(f"attempt {attempt} runs", f"第 {attempt} 次尝试开始运行")
        events.add(tx, "running", job_id=job.id, text=text, data={"attempt": attempt})
    return True


def _job_change(
    job: JobSummary, state: JobState, started: float | None, status: dict[str, Any]
) -> JobChange | None:
    step, total = read_progress(status)
    step = step if step is not None else job.progress_step
    total = total if total is not None else job.progress_total
    first = job.started_at if job.started_at is not None else started
    same = (state, step, total, first) == (
        job.state, job.progress_step, job.progress_total, job.started_at,
    )  # fmt: skip
    if same:
        return None
    reason = None if state in ("starting", "running") else job.reason
    message = None if state in ("starting", "running") else job.message
    return JobChange(
        state=state,
        started_at=first,
        progress_step=step,
        progress_total=total,
        reason=reason,
        message=message,
    )


def read_progress(status: dict[str, Any]) -> tuple[int | None, int | None]:
    """Return ``(step, total)`` of a status, as far as it says anything sensible."""
    progress = status.get("progress")
    if not isinstance(progress, dict):
        return None, None
    step, total = _number(progress.get("step")), _number(progress.get("total"))
    return (
        int(step) if step is not None and 0 <= step <= _MOST else None,
        int(total) if total is not None and 0 < total <= _MOST else None,
    )


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
