"""Move a sweep on: settle trials whose jobs ended, start those for which there is room.

Everything is seen again from the store, so a server that dies at any moment is continued by
the next one; a trial's job has an idempotency key of sweep, number and attempt.
"""

from __future__ import annotations

import math
import time

import structlog

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.services import jobs as job_service
from starforge.server.services.again import MACHINE
from starforge.server.services.job_names import MAX, usable_name
from starforge.server.services.submit import Origin, submit
from starforge.server.services.sweeps import varied
from starforge.server.store import jobs, scalars, sweeps
from starforge.server.store.records import ENDED, JobSummary
from starforge.server.store.sweeps import SweepChange, SweepRow, SweepState, TrialChange, TrialRow
from starforge.wire.jobs import SubmitRequest

log = structlog.get_logger("starforge.sweeps")

TEMPORARY = 500  # errors of this status and above are about the server, not the trial
NO_VALUE = Text("it never reported {metric}", "没有报告过 {metric}")
RETRY = Text("the machine failed; tried once more", "机器故障，再试一次")


def advance(core: Core, ident: str) -> None:
    """Do all that can be done for a sweep now.

    What keeps the server from working (a full disk) is raised: then it is tried again later.
    """
    row, trials = _look(core, ident)
    if row.state != "running":
        return
    for trial in trials:
        if trial.state == "running":
            _settle(core, row, trial)
    row, trials = _look(core, ident)
    if row.desired == "stop":
        for trial in trials:
            _leave(core, trial)
    else:
        room = row.jobs - sum(one.state == "running" for one in trials)
        waiting = [one for one in trials if one.state == "waiting"]
        for trial in waiting[: max(0, room)]:
            _begin(core, row, trial)
    _end(core, ident)


def _look(core: Core, ident: str) -> tuple[SweepRow, list[TrialRow]]:
    with core.db.read() as tx:
        return sweeps.find(tx, ident), sweeps.of_sweep(tx, ident)


def _settle(core: Core, row: SweepRow, trial: TrialRow) -> None:
    """Look at the job of a trial that runs."""
    try:
        with core.db.read() as tx:
            job = jobs.summary(tx, str(trial.job_id))
    except StarForgeError:
        gone = Text(f"job {trial.job_id} was deleted", f"任务 {trial.job_id} 已被删除")
        _change(core, trial, TrialChange(state="failed", message=gone), "running")
        return
    if job.state not in ENDED:
        if row.desired == "stop" and job.desired != "stop":
            job_service.stop(core, job_service.find(core, job.id), force=False)
        return
    _change(core, trial, _outcome(core, row, trial, job), "running")


def _outcome(core: Core, row: SweepRow, trial: TrialRow, job: JobSummary) -> TrialChange:
    value = _value(core, row.metric, job.id)
    if job.state == "succeeded":
        said = NO_VALUE.format(metric=row.metric) if value is None else None
        return TrialChange(state="succeeded", value=value, message=said)
    why = job.message or Text(str(job.reason), str(job.reason))
    if job.state == "stopped":
        return TrialChange(state="stopped", value=value, message=why)
    if job.reason in MACHINE and trial.attempt == 0 and row.desired == "run":
        return TrialChange(state="waiting", attempt=1, job_id=None, message=RETRY)
    return TrialChange(state="failed", value=value, message=why)


def _value(core: Core, metric: str, job_id: str) -> float | None:
    """Return the last value of a metric, by its canonical or native name, if it is finite."""
    with core.db.read() as tx:
        found = scalars.series(tx, job_id)
    for one in sorted(found, key=lambda one: one.name != metric):
        if metric in (one.name, one.native) and one.last_value is not None:
            return one.last_value if math.isfinite(one.last_value) else None
    return None


def _key(trial: TrialRow) -> str:
    return f"sweep:{trial.sweep_id}:{trial.number}:{trial.attempt}"


def _leave(core: Core, trial: TrialRow) -> None:
    """Have a trial that waits not begin; a job made of it before a crash is taken over."""
    with core.db.read() as tx:
        job_id = jobs.of_key(tx, _key(trial))
    change = TrialChange(state="stopped")
    if job_id is not None:
        change = TrialChange(state="running", job_id=job_id)
    _change(core, trial, change, "waiting")


def _begin(core: Core, row: SweepRow, trial: TrialRow) -> None:
    """Make the job of a trial; once, whatever crashes."""
    ending = f"-{trial.number}"
    request = varied(
        SubmitRequest.model_validate(row.request), trial.parameters,
        name=usable_name(row.name[: MAX - len(ending)] + ending),
        idempotency_key=_key(trial),
        plan_digest=trial.plan_digest,
    )  # fmt: skip
    try:
        job_id, _ = submit(core, request, row.lang, Origin(tags=[f"sweep:{row.name}"]))
    except StarForgeError as error:
        if error.status >= TEMPORARY:
            raise
        log.warning("trial refused", sweep=row.id, trial=trial.number, code=error.code)
        change = TrialChange(state="failed", message=error.message)
        _change(core, trial, change, "waiting")
        return
    _change(core, trial, TrialChange(state="running", job_id=job_id), "waiting")


def _change(core: Core, trial: TrialRow, change: TrialChange, expect: sweeps.TrialState) -> None:
    with core.db.write() as tx:
        sweeps.change_trial(tx, trial, change, expect={expect})


def _end(core: Core, ident: str) -> None:
    """Record the end when no trial is left: it failed when none of them succeeded."""
    row, trials = _look(core, ident)
    states = {one.state for one in trials}
    if states & {"waiting", "running"}:
        return
    state: SweepState = "succeeded" if "succeeded" in states else "failed"
    if row.desired == "stop" and "stopped" in states:
        state = "stopped"
    with core.db.write() as tx:
        change = SweepChange(state=state, ended_at=time.time())
        sweeps.change(tx, ident, change, expect={"running"})
    log.info("sweep ended", sweep=ident, state=state)
