"""Resume an ended pipeline: finished stages stay, the others get another attempt."""

from __future__ import annotations

import contextlib

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.services import again
from starforge.server.services import jobs as job_service
from starforge.server.store import jobs, pipelines
from starforge.server.store.pipelines import (
    PipelineChange,
    PipelineRow,
    PipelineState,
    StageChange,
    StageRow,
    StageState,
)
from starforge.server.store.records import ENDED, Job

_RETAKEN: frozenset[StageState] = frozenset({"failed", "gate_failed", "skipped", "stopped"})
_ENDED: frozenset[PipelineState] = frozenset({"failed", "stopped"})


def resume(core: Core, row: PipelineRow) -> None:
    """Have a failed or stopped pipeline go on.

    A stage that was stopped or failed goes on from its job's last checkpoint when there is
    one, else it gets a new job. Gates are decided anew. A finished stage whose job was deleted
    runs again. Doing it twice changes nothing more.
    """
    if row.state == "succeeded":
        raise _refused(row, Text("has succeeded", "已成功结束"))
    if row.state not in _ENDED:
        raise _refused(row, Text("still runs", "仍在运行"))
    with core.db.read() as tx:
        stages = pipelines.stages(tx, row.id)
    changes = {stage.name: _change(core, stage) for stage in stages}
    with core.db.write() as tx:
        fresh = PipelineChange(state="running", desired="run", message=None, ended_at=None)
        if pipelines.change(tx, row.id, fresh, expect=_ENDED):
            for stage in stages:
                change = changes[stage.name]
                if change is not None:
                    pipelines.change_stage(tx, row.id, stage.name, change, expect={stage.state})
    core.bus.publish("pipeline", data=row.id)
    core.bus.publish("wake")


def _change(core: Core, stage: StageRow) -> StageChange | None:
    """Return what becomes of a stage; ``None`` for one that stays as it is."""
    job = _job(core, stage)
    if stage.state == "succeeded":
        return None if job is not None else _anew(stage)
    if stage.state not in _RETAKEN:
        return None
    if job is not None and (job.state not in ENDED or job.state == "succeeded"):
        return _with_job()
    if job is not None and not stage.reused and _go_on(core, job):
        return _with_job()
    return _anew(stage)


def _go_on(core: Core, job: Job) -> bool:
    """Give a job another attempt from its last checkpoint, if it has one."""
    if not again.can_resume(core, job.id, job.plan):
        return False
    with contextlib.suppress(StarForgeError):  # its budget is spent, say
        job_service.resume(core, job)
        return True
    return False


def _with_job() -> StageChange:
    return StageChange(state="running", message=None, verdicts=[], ended_at=None)


def _anew(stage: StageRow) -> StageChange:
    """Return a stage to its place in the queue; one that ran has used up its job's key."""
    attempt = stage.attempt + 1 if stage.job_id is not None else stage.attempt
    return StageChange(
        state="waiting", attempt=attempt, job_id=None, digest=None, reused=False, message=None,
        verdicts=[], started_at=None, ended_at=None,
    )  # fmt: skip


def _job(core: Core, stage: StageRow) -> Job | None:
    if stage.job_id is None:
        return None
    with core.db.read() as tx, contextlib.suppress(StarForgeError):
        return jobs.get(tx, stage.job_id)
    return None


def _refused(row: PipelineRow, why: Text) -> StarForgeError:
    return StarForgeError(
        "pipeline/not-resumable",
        Text(f"pipeline {row.name} ({row.id}) {why.en}", f"流水线 {row.name}（{row.id}）{why.zh}"),
        Text("run it anew with `sf pipeline run`; unchanged stages are not run again",
             "用 `sf pipeline run` 重新运行，没有变化的阶段不会重复执行"),
        status=409,
    )  # fmt: skip
