"""Move a sweep on: settle trials whose jobs ended, start those for which there is room.

Everything is seen again from the store, so a server that dies at any moment is continued by
the next one; a trial's job has an idempotency key of sweep, number and attempt.
"""

from __future__ import annotations

import contextlib
import math
import time

import structlog

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.services import again, sweep_prune, sweep_search
from starforge.server.services import jobs as job_service
from starforge.server.services.again import MACHINE
from starforge.server.services.job_names import MAX, usable_name
from starforge.server.services.submit import Origin, submit
from starforge.server.services.sweep_search import TEMPORARY
from starforge.server.services.sweeps import varied
from starforge.server.store import jobs, scalars, sweeps
from starforge.server.store.database import Tx
from starforge.server.store.records import ENDED, Job, JobSummary
from starforge.server.store.sweeps import SweepChange, SweepRow, SweepState, TrialChange, TrialRow
from starforge.wire.jobs import SubmitRequest

log = structlog.get_logger("starforge.sweeps")

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
        complete = True
    else:
        complete = _fill(core, row, trials)
    _end(core, ident, complete=complete)


def _fill(core: Core, row: SweepRow, trials: list[TrialRow]) -> bool:
    """Start as many trials as may run; say whether no further ones are to be chosen."""
    room = row.jobs - sum(one.state == "running" for one in trials)
    waiting = [one for one in trials if one.state == "waiting"]
    for trial in waiting[: max(0, room)]:
        _begin(core, row, trial)
    room -= len(waiting)
    while room > 0:
        chosen = sweep_search.extend(core, row, trials)
        if chosen is None:
            return True
        trials = [*trials, chosen]
        if chosen.state == "waiting":
            _begin(core, row, chosen)
            room -= 1
    return False


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
    if row.early_stop is not None:
        trial = sweep_prune.look(core, row, trial, job)
    if job.state not in ENDED:
        if row.desired == "stop" and job.desired != "stop":
            job_service.stop(core, job_service.find(core, job.id), force=False)
        return
    _change(core, trial, _outcome(core, row, trial, job), "running")


def _outcome(core: Core, row: SweepRow, trial: TrialRow, job: JobSummary) -> TrialChange:
    value = _value(core, row.metric, job.id)
    if job.state == "succeeded":  # also when it was done before it could be ended early
        said = NO_VALUE.format(metric=row.metric) if value is None else None
        return TrialChange(state="succeeded", value=value, message=said, pruned_at=None)
    if job.state == "stopped" and trial.pruned_at is not None:
        return TrialChange(state="pruned", value=value)
    why = job.message or Text(str(job.reason), str(job.reason))
    if job.state == "stopped":
        return TrialChange(state="stopped", value=value, message=why)
    if job.reason in MACHINE and trial.attempt == 0 and row.desired == "run":
        return TrialChange(state="waiting", attempt=1, message=RETRY)  # with its job: see _begin
    return TrialChange(state="failed", value=value, message=why)


def _value(core: Core, metric: str, job_id: str) -> float | None:
    """Return the last value of a metric, by its canonical or native name, if it is finite."""
    with core.db.read() as tx:
        name = sweep_prune.series_of(tx, metric, job_id)
        last = [one.last_value for one in scalars.series(tx, job_id) if one.name == name]
    return last[0] if last and last[0] is not None and math.isfinite(last[0]) else None


def _key(trial: TrialRow) -> str:
    return f"sweep:{trial.sweep_id}:{trial.number}:{trial.attempt}"


def _leave(core: Core, trial: TrialRow) -> None:
    """Have a trial that waits not begin; a job made of it before a crash is taken over."""
    if trial.state != "waiting":
        return
    with core.db.read() as tx:
        job_id = jobs.of_key(tx, _key(trial))
        known = _job(tx, trial.job_id)
    change = TrialChange(state="stopped")
    if job_id is not None and job_id != trial.job_id:
        change = TrialChange(state="running", job_id=job_id)
    elif known is not None and known.state not in ENDED:
        change = TrialChange(state="running")
    _change(core, trial, change, "waiting")


def _job(tx: Tx, job_id: str | None) -> Job | None:
    if job_id is not None:
        with contextlib.suppress(StarForgeError):  # deleted
            return jobs.get(tx, job_id)
    return None


def _goes_on(core: Core, trial: TrialRow) -> bool:
    """Have the job of a trial that was stopped, or whose machine failed, go on if it can.

    It may go on already: a server that asked it to and died knows only this.
    """
    with core.db.read() as tx:
        job = _job(tx, trial.job_id)
    if job is None:
        return False
    if job.state not in ENDED or job.state == "succeeded":
        return True
    if not again.can_resume(core, job.id, job.plan):
        return False
    try:
        job_service.resume(core, job)
    except StarForgeError as error:
        if error.status >= TEMPORARY:
            raise
        return False  # its budget is spent, say
    return True


def _anew(core: Core, trial: TrialRow) -> TrialRow:
    """Return a trial without its job, for another one: from scratch, under a key of its own."""
    with core.db.write() as tx:
        used = jobs.of_key(tx, _key(trial)) is not None
        change = TrialChange(attempt=trial.attempt + used, job_id=None, rungs=None)
        sweeps.change_trial(tx, trial, change, expect={"waiting"})
        return sweeps.of_sweep(tx, trial.sweep_id)[trial.number]


def _begin(core: Core, row: SweepRow, trial: TrialRow) -> None:
    """Make the job of a trial, or have it go on; once, whatever crashes."""
    if trial.job_id is not None:
        if _goes_on(core, trial):
            _change(core, trial, TrialChange(state="running", message=None), "waiting")
            return
        trial = _anew(core, trial)
    ending = f"-{trial.number}"
    request = varied(
        SubmitRequest.model_validate(row.request), trial.parameters,
        name=usable_name(row.name[: MAX - len(ending)] + ending),
        idempotency_key=_key(trial),
        plan_digest=trial.plan_digest,
    )  # fmt: skip
    try:
        origin = Origin(tags=[f"sweep:{row.name}"], sweep=row.id, trial=trial.number)
        job_id, _ = submit(core, request, row.lang, origin)
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
        done = sweeps.change_trial(tx, trial, change, expect={expect})
    if done:
        core.bus.publish("sweep", data=trial.sweep_id)


def _end(core: Core, ident: str, *, complete: bool) -> None:
    """Record the end when no trial is left: it failed when none of them succeeded."""
    row, trials = _look(core, ident)
    states = {one.state for one in trials}
    if not complete and len(trials) < sweep_search.planned(row, trials):
        return
    if states & {"waiting", "running"}:
        return
    state: SweepState = "succeeded" if "succeeded" in states else "failed"
    left = "stopped" in states or len(trials) < sweep_search.planned(row, trials)
    if row.desired == "stop" and left:
        state = "stopped"
    with core.db.write() as tx:
        change = SweepChange(state=state, ended_at=time.time())
        sweeps.change(tx, ident, change, expect={"running"})
    core.bus.publish("sweep", data=ident)
    log.info("sweep ended", sweep=ident, state=state)
