"""Early ends of trials: their values at rungs, and who goes on from there.

A decision is kept before anything is done about it: the values at rungs and ``pruned_at`` stand
with the trial, so no crash makes two different decisions of one.
"""

from __future__ import annotations

import math

import structlog

from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.services import jobs as job_service
from starforge.server.store import curves, jobs, scalars, sweeps
from starforge.server.store.database import Tx
from starforge.server.store.records import ENDED, JobSummary
from starforge.server.store.sweeps import EarlyStop, SweepChange, SweepRow, TrialChange, TrialRow
from starforge.sweeps import halving

log = structlog.get_logger("starforge.sweeps")


def series_of(tx: Tx, metric: str, job_id: str) -> str | None:
    """Return the series of a job that has a metric, by its canonical or native name."""
    found = scalars.series(tx, job_id)
    for one in sorted(found, key=lambda one: one.name != metric):
        if metric in (one.name, one.native):
            return one.name
    return None


def look(core: Core, row: SweepRow, trial: TrialRow, job: JobSummary) -> TrialRow:
    """Note the rungs that a trial has come to; have it end if it is not to go on.

    Returns the trial as it is then. One that has ended by itself is noted but never pruned,
    so that others can be held against it.
    """
    first = _first(core, row, job)
    if row.early_stop is None or first is None:
        return trial
    if trial.pruned_at is not None:
        _end_early(core, job)
        return trial
    factor = row.early_stop.factor
    rungs = list(trial.rungs or [])
    with core.db.read() as tx:
        fresh = _values(tx, row.metric, job.id, first, factor=factor, rung=len(rungs))
        others = [one for one in sweeps.of_sweep(tx, row.id) if one.number != trial.number]
    for value in fresh:
        rung = len(rungs)
        came = [one.rungs[rung] for one in others if one.rungs and len(one.rungs) > rung]
        rungs.append(value if math.isfinite(value) else None)
        live = job.state not in ENDED and job.desired != "stop" and row.desired == "run"
        step = halving.step_of(rung, first, factor)
        passes = halving.goes_on(
            value, [one for one in came if one is not None],
            rung=rung, first=first, factor=factor, goal=row.goal,
        )  # fmt: skip
        if live and not passes and (job.progress_total is None or step < job.progress_total):
            trial = _keep(core, trial, rungs, _why(row.metric, step, value, came), step)
            _end_early(core, job)
            log.info("trial pruned", sweep=row.id, trial=trial.number, step=step)
            return trial
    return _keep(core, trial, rungs) if fresh else trial


def _first(core: Core, row: SweepRow, job: JobSummary) -> int | None:
    """Return the step of the first rung; where it is left to us, keep it once it is known."""
    if row.early_stop is None or row.early_stop.first is not None:
        return None if row.early_stop is None else row.early_stop.first
    total = job.progress_total
    if total is None and job.state == "succeeded":  # it never said how many: now it is known
        with core.db.read() as tx:
            name = series_of(tx, row.metric, job.id)
            steps = [one.last_step for one in scalars.series(tx, job.id) if one.name == name]
        total = steps[0] if steps else None
    if total is None:
        return None
    factor = row.early_stop.factor
    chosen = EarlyStop(factor, halving.first_rung(total, factor))
    with core.db.write() as tx:
        known = sweeps.find(tx, row.id).early_stop
        if known is not None and known.first is not None:
            return known.first
        sweeps.change(tx, row.id, SweepChange(early_stop=chosen), expect={"running"})
    core.bus.publish("sweep", data=row.id)
    return chosen.first


def _values(
    tx: Tx, metric: str, job_id: str, first: int, *, factor: int, rung: int
) -> list[float]:  # fmt: skip
    """Return the metric at the rungs from ``rung`` on: the first value at or after each."""
    name = series_of(tx, metric, job_id)
    if name is None:
        return []
    curve = curves.read(tx, job_id, [name], lo=halving.step_of(rung, first, factor)).get(name)
    found: list[float] = []
    if curve is None:
        return found
    for step, value in zip(curve.step.tolist(), curve.value.tolist(), strict=True):
        while step >= halving.step_of(rung, first, factor):
            found.append(value)
            rung += 1
    return found


def _keep(
    core: Core, trial: TrialRow, rungs: list[float | None],
    why: Text | None = None, step: int | None = None,
) -> TrialRow:  # fmt: skip
    change = TrialChange(rungs=rungs)
    if step is not None:
        change = TrialChange(rungs=rungs, pruned_at=step, message=why)
    with core.db.write() as tx:
        sweeps.change_trial(tx, trial, change, expect={"running"})
        kept = sweeps.of_sweep(tx, trial.sweep_id)[trial.number]
    if step is not None:
        core.bus.publish("sweep", data=trial.sweep_id)
    return kept


def _end_early(core: Core, job: JobSummary) -> None:
    if job.state not in ENDED and job.desired != "stop":
        with core.db.read() as tx:
            full = jobs.get(tx, job.id)
        job_service.stop(core, full, force=False)


def _why(metric: str, step: int, value: float, came: list[float | None]) -> Text:
    shown = f"{value:.6g}"
    known = [one for one in came if one is not None]
    if not math.isfinite(value):
        return Text(f"{metric} was {shown} at step {step}", f"第 {step} 步的 {metric} 为 {shown}")
    low, high = min([*known, value]), max([*known, value])
    return Text(
        f"{metric} was {shown} at step {step}, among {len(came) + 1} from {low:.6g} to {high:.6g}",
        f"第 {step} 步的 {metric} 为 {shown}，到达此处的 {len(came) + 1} 次介于 "
        f"{low:.6g} 和 {high:.6g} 之间",
    )  # fmt: skip
