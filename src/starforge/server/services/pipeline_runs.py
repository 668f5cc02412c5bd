"""Move a pipeline on: settle stages whose jobs ended, start those whose turn it is.

Everything is seen again from the store, so a server that dies at any moment is continued by
the next one; a stage's job has an idempotency key of pipeline, stage and attempt.
"""

from __future__ import annotations

import time

import msgspec
import structlog

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.pipelines.gates import Figure, Verdict, decide
from starforge.pipelines.graph import needs_of
from starforge.pipelines.model import Gate
from starforge.server.core import Core
from starforge.server.errors import FindingsError
from starforge.server.services import jobs as job_service
from starforge.server.services.pipeline_start import start
from starforge.server.store import jobs, pipelines, scores
from starforge.server.store.database import Tx
from starforge.server.store.pipelines import (
    PipelineChange,
    PipelineRow,
    PipelineState,
    StageChange,
    StageRow,
    StageState,
)
from starforge.server.store.records import ENDED, JobSummary

log = structlog.get_logger("starforge.pipelines")

OPEN: frozenset[StageState] = frozenset({"waiting", "running"})
TEMPORARY = 500  # errors of this status and above are about the server, not the stage


class _View(msgspec.Struct, frozen=True):
    """A pipeline as the store has it now."""

    run: PipelineRow
    stages: dict[str, StageRow]
    jobs: dict[str, JobSummary]


def advance(core: Core, ident: str) -> None:
    """Do all that can be done for a pipeline now.

    What keeps the server from working (a full disk) is raised: then it is tried again later.
    """
    while True:
        view = _look(core, ident)
        if view.run.state != "running":
            return
        moved = [_step(core, view, stage) for stage in view.stages.values()]
        if not any(moved):
            break
    if all(stage.state not in OPEN for stage in view.stages.values()):
        _end(core, view)


def _look(core: Core, ident: str) -> _View:
    with core.db.read() as tx:
        run = pipelines.get(tx, ident)
        stages = {one.name: one for one in pipelines.stages(tx, ident)}
        found = {}
        for stage in stages.values():
            if stage.state == "running" and stage.job_id is not None:
                job = _job(tx, stage.job_id)
                if job is not None:
                    found[stage.job_id] = job
    return _View(run, stages, found)


def _job(tx: Tx, job_id: str) -> JobSummary | None:
    try:
        return jobs.summary(tx, job_id)
    except StarForgeError:
        return None


def _step(core: Core, view: _View, stage: StageRow) -> bool:
    """Move one stage; say whether it changed."""
    if stage.state == "running":
        return _settle(core, view, stage)
    return stage.state == "waiting" and _begin(core, view, stage)


def _settle(core: Core, view: _View, stage: StageRow) -> bool:
    """Look at the job of a stage that runs."""
    job = view.jobs.get(str(stage.job_id))
    if job is None:
        gone = Text(f"job {stage.job_id} was deleted", f"任务 {stage.job_id} 已被删除")
        return _finish(core, stage, "failed", gone)
    if job.state not in ENDED:
        if view.run.desired == "stop" and job.desired != "stop" and not stage.reused:
            job_service.stop(core, job_service.find(core, job.id), force=False)
        return False
    if job.state == "succeeded":
        return _judge(core, view, stage, job)
    why = job.message or Text(str(job.reason), str(job.reason))
    if job.state == "stopped":
        return _finish(core, stage, "stopped", why)
    if stage.attempt < stage.stage.retries and view.run.desired == "run":
        return _again(core, stage, job, why)
    return _finish(core, stage, "failed", why)


def _again(core: Core, stage: StageRow, job: JobSummary, why: Text) -> bool:
    done, allowed = stage.attempt + 1, stage.stage.retries
    text = Text(
        f"job {job.id} failed ({why.en}); retry {done} of {allowed}",
        f"任务 {job.id} 失败（{why.zh}）；第 {done} 次重试，共 {allowed} 次",
    )
    change = StageChange(
        state="waiting", attempt=done, job_id=None, digest=None, reused=False, message=text
    )
    return _change(core, stage, change, "running")


def _judge(core: Core, view: _View, stage: StageRow, job: JobSummary) -> bool:
    """Hold the scores of a stage that has succeeded against its gates."""
    with core.db.read() as tx:
        verdicts = [_verdict(tx, view, gate, job.id) for gate in stage.stage.gates]
    missed = [one for one in verdicts if not one.met]
    if not missed:
        return _finish(core, stage, "succeeded", None, verdicts)
    text = Text(
        "gate not met: " + "; ".join(one.text.en for one in missed),
        "未通过门槛：" + "；".join(one.text.zh for one in missed),
    )
    return _finish(core, stage, "gate_failed", text, verdicts)


def _verdict(tx: Tx, view: _View, gate: Gate, job_id: str) -> Verdict:
    other = None
    if gate.stage is not None:
        compared = view.stages[gate.stage].job_id
        other = _figure(tx, gate, compared) if compared else None
    return decide(gate, _figure(tx, gate, job_id), other)


def _figure(tx: Tx, gate: Gate, job_id: str) -> Figure | None:
    """Return a job's score for a gate: the primary one where several have its names."""
    for score in scores.of_last_attempt(tx, job_id):
        if (score.benchmark, score.metric) == (gate.benchmark, gate.metric):
            return Figure(
                value=score.value, stderr=score.stderr, settings=score.settings,
                higher_is_better=score.higher_is_better,
            )  # fmt: skip
    return None


def _begin(core: Core, view: _View, stage: StageRow) -> bool:
    """Start a stage when those it waits for have succeeded."""
    if view.run.desired == "stop":
        text = Text("the pipeline was stopped before", "流水线已在此之前被停止")
        return _finish(core, stage, "skipped", text)
    needs = [view.stages[name] for name in needs_of(stage.stage)]
    lost = [one for one in needs if one.state not in OPEN and one.state != "succeeded"]
    if lost:
        names = ", ".join(one.name for one in lost)
        text = Text(f"it waits for {names}, which did not succeed", f"所等待的 {names} 没有成功")
        return _finish(core, stage, "skipped", text)
    if any(one.state in OPEN for one in needs):
        return False
    try:
        job = start(core, view.run, stage, view.stages)
    except StarForgeError as error:
        if error.status >= TEMPORARY:
            raise
        log.warning("stage refused", pipeline=view.run.id, stage=stage.name, code=error.code)
        return _finish(core, stage, "failed", _why(error))
    log.info("stage started", pipeline=view.run.id, stage=stage.name, job=job.job_id)
    change = StageChange(
        state="running", job_id=job.job_id, digest=job.digest, reused=job.reused,
        started_at=time.time(), ended_at=None, verdicts=[],
    )  # fmt: skip
    return _change(core, stage, change, "waiting")


def _why(error: StarForgeError) -> Text:
    """Say why a stage could not start."""
    if isinstance(error, FindingsError):
        wrong = [one for one in error.findings if one.severity == "error"]
        if wrong:
            return wrong[0].message
    if error.hint is None:
        return error.message
    return Text(f"{error.message.en} ({error.hint.en})", f"{error.message.zh}（{error.hint.zh}）")


def _finish(
    core: Core, stage: StageRow, state: StageState, text: Text | None,
    verdicts: list[Verdict] | None = None,
) -> bool:  # fmt: skip
    change = StageChange(
        state=state, message=text, verdicts=verdicts or [], ended_at=time.time()
    )  # fmt: skip
    return _change(core, stage, change, stage.state)


def _change(core: Core, stage: StageRow, change: StageChange, expect: StageState) -> bool:
    with core.db.write() as tx:
        done = pipelines.change_stage(tx, stage.pipeline_id, stage.name, change, expect={expect})
    if done:
        core.bus.publish("pipeline", data=stage.pipeline_id)
    return done


def _end(core: Core, view: _View) -> None:
    """Record how a pipeline ended, with what kept it from succeeding."""
    bad = [one for one in view.stages.values() if one.state in ("failed", "gate_failed")]
    stopped = [one for one in view.stages.values() if one.state == "stopped"]
    state: PipelineState = "failed" if bad else "succeeded"
    if not bad and (stopped or view.run.desired == "stop"):
        skipped = any(one.state == "skipped" for one in view.stages.values())
        state = "stopped" if stopped or skipped else "succeeded"
    told = bad or stopped
    text = None
    if told:
        text = Text(
            "; ".join(f"{one.name}: {_said(one).en}" for one in told),
            "；".join(f"{one.name}：{_said(one).zh}" for one in told),
        )
    change = PipelineChange(state=state, message=text, ended_at=time.time())
    with core.db.write() as tx:
        pipelines.change(tx, view.run.id, change, expect={"running"})
    core.bus.publish("pipeline", data=view.run.id)
    log.info("pipeline ended", pipeline=view.run.id, state=state)


def _said(stage: StageRow) -> Text:
    return stage.message or Text(stage.state, stage.state)
