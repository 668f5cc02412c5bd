"""What can be done with jobs: list, look, stop, resume, retry, delete."""

from __future__ import annotations

import shutil
import time
from typing import get_args

import structlog

from starforge.errors import StarForgeError
from starforge.i18n import Lang, Text
from starforge.server.core import Core
from starforge.server.services import again, models, runtimes, views
from starforge.server.services.sparklines import SPARKLINES
from starforge.server.store import attempts, events, jobs
from starforge.server.store.records import (
    ACTIVE,
    ENDED,
    Job,
    JobChange,
    JobFilter,
    JobSort,
)
from starforge.wire import jobs as wire

log = structlog.get_logger("starforge.jobs")

MAX_PAGE = 500
BY_METRIC = "headline:"
"""A sort key that begins so goes by the last value of a primary metric."""


def find(core: Core, ref: str) -> Job:
    """Return a job by id, unique prefix of an id, or name (the newest)."""
    with core.db.read() as tx:
        return jobs.find(tx, ref)


def detail(core: Core, job_id: str, lang: Lang) -> wire.JobDetail:
    """Return everything about a job."""
    with core.db.read() as tx:
        return views.detail(core, tx, jobs.get(tx, job_id), lang)


def page(
    core: Core, which: JobFilter, lang: Lang, *, sort: str, number: int, size: int
) -> wire.JobPage:
    """Return one page of a listing; ``sort`` may start with ``-``."""
    column = sort.removeprefix("-")
    metric = column.removeprefix(BY_METRIC) if column.startswith(BY_METRIC) else None
    _require_known(column, metric, which)
    size = max(1, min(size, MAX_PAGE))
    number = max(1, number)
    offset = (number - 1) * size
    down = sort.startswith("-")
    with core.db.read() as tx:
        if metric is not None:
            found = jobs.page_by_headline(
                tx, which, metric, descending=down, limit=size, offset=offset
            )
        else:
            found = jobs.page(
                tx,
                which,
                sort=column,  # type: ignore[arg-type]  # checked above
                descending=down,
                limit=size,
                offset=offset,
            )
        inputs = jobs.inputs_of(tx, [row.id for row in found.rows])
        lines = SPARKLINES.of(core, tx, found.rows)
    rows = [views.job(row, lang) for row in found.rows]
    for shown in rows:
        shown.model, shown.data = inputs.get(shown.id, (None, None))
        shown.sparkline = lines.get(shown.id)
    return wire.JobPage(jobs=rows, total=found.total, page=number, size=size)


def _require_known(column: str, metric: str | None, which: JobFilter) -> None:
    if metric is None and column not in get_args(JobSort):
        known = ", ".join([*get_args(JobSort), f"{BY_METRIC}METRIC"])
        raise StarForgeError(
            "request/bad-sort",
            Text(f"jobs can't be sorted by `{column}`", f"任务不能按 `{column}` 排序"),
            Text(f"sort by one of: {known}", f"可用的排序键：{known}"),
        )
    unknown = [state for state in which.states if state not in get_args(wire.JobState)]
    if unknown:
        known = ", ".join(get_args(wire.JobState))
        raise StarForgeError(
            "request/bad-state",
            Text(f"there is no job state `{unknown[0]}`", f"没有 `{unknown[0]}` 这种任务状态"),
            Text(f"the states are: {known}", f"可用的状态：{known}"),
        )


def stop(core: Core, job: Job, *, force: bool) -> None:
    """Ask a job to stop; ``force`` ends its processes now. Ended jobs stay as they are."""
    if job.state in ENDED:
        return
    with core.db.write() as tx:
        live = jobs.change(
            tx,
            job.id,
            JobChange(desired="stop", state="stopping"),
            expect={"starting", "running", "stopping"},
        )
        if not live:
            jobs.change(tx, job.id, JobChange(desired="stop"), expect={"queued", "unreachable"})
        if job.desired != "stop":
            events.add(tx, "stop", job_id=job.id, text=Text("asked to stop", "收到停止请求"))
    if force and live:
        job_dir = core.settings.job_dir(job.id)
        core.engine.cancel(job.id, job.current_attempt or 0, job_dir, force=True)
    _changed(core, job.id)


def resume(core: Core, job: Job) -> None:
    """Queue a new attempt that goes on from the last checkpoint."""
    _require_ended(job)
    plan = job.plan
    if plan.checkpoints is None or not plan.checkpoints.resumable:
        raise StarForgeError(
            "job/not-resumable",
            Text(
                f"the method {job.method} can't go on from a checkpoint",
                f"方法 {job.method} 不支持从检查点恢复",
            ),
            Text("start it anew with `sf job retry`", "用 `sf job retry` 从头开始"),
            status=409,
        )
    if job.state == "succeeded":
        raise StarForgeError(
            "job/already-succeeded",
            Text(
                f"job {job.name} ({job.id}) has succeeded: nothing is left to resume",
                f"任务 {job.name}（{job.id}）已成功结束，没有可恢复的内容",
            ),
            Text(
                "submit the experiment again, or `sf job retry`",
                "重新提交实验，或用 `sf job retry`",
            ),
            status=409,
        )
    if not models.has_checkpoint(core, job.id, plan):
        raise models.lost_checkpoint(f"{job.name} ({job.id})")
    _require_budget(core, job)
    _again(core, job, resume=True)


def retry(core: Core, job: Job) -> None:
    """Queue a new attempt from scratch; what the old ones put out is moved aside."""
    _require_ended(job)
    runtimes.interpreter(core, job.plan)
    _require_budget(core, job)
    again.set_aside(core, job.id, job.current_attempt or 0)
    _again(core, job, resume=False)


def delete(core: Core, job: Job, *, force: bool, patience: float = 60.0) -> None:
    """Remove a job: rows, streams and folder. A live one only with ``force``: stopped first."""
    if job.state not in ENDED:
        if not force:
            raise _still_runs(job)
        stop(core, job, force=False)
        job = _wait_ended(core, job, patience)
    with core.db.write() as tx:
        jobs.delete(tx, job.id)
    core.forget(job.id)
    core.files.delete(job.id)
    folder = core.settings.job_dir(job.id)
    if folder.is_dir():
        # Renamed first: a half-removed folder never looks like a job.
        doomed = again.free(folder.with_name(f".deleted-{job.id}"))
        folder.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)
    log.info("job deleted", job=job.id)
    core.bus.publish("deleted", job.id)


def clean_leftovers(core: Core) -> None:
    """Remove what a crash left of unfinished submissions and deletions."""
    for pattern in (".deleted-*", ".new-*"):
        for folder in core.settings.jobs.glob(pattern):
            shutil.rmtree(folder, ignore_errors=True)


def _again(core: Core, job: Job, *, resume: bool) -> None:
    kind, text = ("resume", again.RESUMED) if resume else ("retry", again.RETRIED)
    with core.db.write() as tx:
        if not again.queue(tx, job, job.plan, resume=resume, kind=kind, text=text):
            raise _still_runs(job)
    _changed(core, job.id)


def _require_budget(core: Core, job: Job) -> None:
    """Refuse another attempt when earlier ones used up the job's time."""
    budget = job.plan.policies.budget
    if budget is None:
        return
    with core.db.read() as tx:
        spent = attempts.seconds(tx, job.id)
    if spent >= budget:
        raise StarForgeError(
            "job/budget-spent",
            Text(
                f"job {job.name} ({job.id}) has run for {spent:.0f} s of the {budget:.0f} s "
                "that policies.budget gives all its attempts",
                f"任务 {job.name}（{job.id}）已运行 {spent:.0f} 秒，"
                f"而 policies.budget 给各次尝试的总时间是 {budget:.0f} 秒",
            ),
            Text(
                f"submit the experiment with a larger budget and `model: job:{job.id}`",
                f"调大 budget 并以 `model: job:{job.id}` 重新提交实验",
            ),
            status=409,
        )


def _wait_ended(core: Core, job: Job, patience: float) -> Job:
    deadline = time.monotonic() + patience + job.plan.policies.stop_grace
    while time.monotonic() < deadline:
        with core.db.read() as tx:
            job = jobs.get(tx, job.id)
        if job.state in ENDED:
            return job
        time.sleep(0.1)
    raise _still_runs(job)


def _changed(core: Core, job_id: str) -> None:
    core.bus.publish("job", job_id)
    core.bus.publish("wake")


def _require_ended(job: Job) -> None:
    if job.state not in ENDED:
        raise _still_runs(job)


def _still_runs(job: Job) -> StarForgeError:
    waits = job.state not in ACTIVE
    return StarForgeError(
        "job/not-ended",
        Text(
            f"job {job.name} ({job.id}) has not ended: it is {job.state}",
            f"任务 {job.name}（{job.id}）尚未结束，当前状态为 {job.state}",
        ),
        Text(
            f"stop it first with `sf job stop {job.id}`" + (" or wait" if waits else ""),
            f"先用 `sf job stop {job.id}` 停止它",
        ),
        status=409,
    )
