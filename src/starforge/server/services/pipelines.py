"""Pipelines: checked and kept whole, shown, stopped, resumed."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog

from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.i18n import Lang, Text
from starforge.lab.inputs import STAGE
from starforge.pipelines.check import check_pipeline, check_stages
from starforge.pipelines.gates import Verdict
from starforge.pipelines.graph import needs_of
from starforge.pipelines.load import load_pipeline
from starforge.pipelines.model import Pipeline, Stage
from starforge.pipelines.stages import StageResolver
from starforge.plan import LaunchPlan
from starforge.prepare import Prepared
from starforge.server.core import Core
from starforge.server.errors import FindingsError
from starforge.server.services import models, published, views
from starforge.server.services.account import account
from starforge.server.services.job_names import require_name
from starforge.server.services.preparation import Made, prepared, shapes
from starforge.server.services.submit import differs, require_place
from starforge.server.store import jobs, pipelines, scores
from starforge.server.store.database import Tx
from starforge.server.store.pipelines import (
    NewPipeline,
    NewStage,
    PipelineChange,
    PipelineRow,
    StageRow,
)
from starforge.wire import pipelines as wire
from starforge.wire.base import from_unix
from starforge.wire.jobs import SubmitRequest

log = structlog.get_logger("starforge.pipelines")

MAX_PAGE = 200


def create(
    core: Core, request: wire.PipelineRequest, lang: Lang
) -> tuple[str, bool, list[Finding]]:
    """Keep a pipeline that is to run; return its id, whether it is new, and what was found.

    Every stage is prepared as a submission would be, and refused for the same reasons; then
    the pipeline as a whole is checked. Nothing is kept of one that is refused.
    """
    require_name(request.name)
    if request.idempotency_key is not None:
        with core.db.read() as tx:
            known = pipelines.of_key(tx, request.idempotency_key)
        if known is not None:
            return known, False, []
    pipeline, findings = load_pipeline(request.text.encode(), request.name, request.file)
    findings += check_pipeline(pipeline)
    _refuse(findings)
    requests = _requests(pipeline, request)
    stages, more = _prepare(core, pipeline, requests)
    findings += more
    _refuse(findings)
    new = NewPipeline(
        name=request.name, text=request.text, fresh=request.fresh, lang=lang, lab=request.lab,
        owner=request.owner or account(), idempotency_key=request.idempotency_key,
    )  # fmt: skip
    with core.db.write() as tx:
        known = pipelines.of_key(tx, new.idempotency_key) if new.idempotency_key else None
        if known is not None:
            return known, False, []
        ident = pipelines.create(tx, new, stages)
    log.info("pipeline created", pipeline=ident, stages=len(stages))
    core.bus.publish("pipeline", data=ident)
    core.bus.publish("wake")
    return ident, True, findings


def _refuse(findings: list[Finding]) -> None:
    if any(finding.severity == "error" for finding in findings):
        raise FindingsError(findings)


def _requests(pipeline: Pipeline, request: wire.PipelineRequest) -> dict[str, SubmitRequest]:
    """Return the request of every stage, with what the pipeline says of its inputs."""
    given = {one.name: one.job for one in request.stages}
    if given.keys() != pipeline.stages.keys() or len(given) != len(request.stages):
        raise StarForgeError(
            "pipeline/stages",
            Text("the requests are not for the stages of the pipeline.yaml",
                 "请求中的阶段与 pipeline.yaml 不一致"),
            Text("send one request for every stage, under its name",
                 "请为每个阶段按名字各发一个请求"),
            status=422,
        )  # fmt: skip
    found = {}
    for name, stage in pipeline.stages.items():
        results = {what: one.reference for what, one in stage.results.items()}
        replace = {**given[name].replace, **results}
        found[name] = given[name].model_copy(update={"replace": replace})
    return found


def _prepare(
    core: Core, pipeline: Pipeline, requests: Mapping[str, SubmitRequest]
) -> tuple[list[NewStage], list[Finding]]:
    """Prepare all stages at once, so that each can be held against the others."""
    stages, done = [], {}
    findings: list[Finding] = []
    with contextlib.ExitStack() as stack:
        for name, stage in pipeline.stages.items():
            request = requests[name]
            if request.method is not None:
                published.require(core, request.method, request.recipe_digest)
            made: Made = stack.enter_context(prepared(core, request, StageResolver))
            done[name] = made.prepared
            findings += [_of_stage(one, name) for one in made.prepared.findings]
            if made.prepared.plan is not None:
                stages.append(_new_stage(core, stage, request, made.prepared))
        findings += check_stages(pipeline, done)
    return stages, findings


def _of_stage(finding: Finding, name: str) -> Finding:
    file = f"{name}/{finding.at.file}" if finding.at.file else name
    return msgspec.structs.replace(finding, at=msgspec.structs.replace(finding.at, file=file))


def _new_stage(core: Core, stage: Stage, request: SubmitRequest, made: Prepared) -> NewStage:
    plan = made.plan
    assert plan is not None
    digest = plan.digest()
    if request.plan_digest is not None and request.plan_digest != digest:
        raise differs(plan, digest)
    require_place(core, plan)
    models.locations(core, known_inputs(plan))
    return NewStage(
        stage=stage, plan_digest=digest,
        request=request.model_dump(mode="json", exclude_none=True) | {"method": plan.method},
    )  # fmt: skip


def known_inputs(plan: LaunchPlan) -> LaunchPlan:
    """Return a plan without the inputs that other stages have yet to make."""
    inputs = [one for one in plan.inputs if not one.location.startswith(STAGE)]
    return msgspec.structs.replace(plan, inputs=inputs)


def find(core: Core, ref: str) -> PipelineRow:
    """Return a pipeline by id, unique prefix of an id, or name (the newest)."""
    with core.db.read() as tx:
        return pipelines.find(tx, ref)


def stop(core: Core, row: PipelineRow) -> None:
    """Have running stages stopped and no more started; an ended pipeline stays as it is."""
    with core.db.write() as tx:
        pipelines.change(tx, row.id, PipelineChange(desired="stop"), expect={"running"})
    core.bus.publish("pipeline", data=row.id)
    core.bus.publish("wake")


def page(
    core: Core, lang: Lang, *, state: str | None, search: str | None, number: int, size: int
) -> wire.PipelinePage:
    """Return one page of pipelines, newest first."""
    size, number = max(1, min(size, MAX_PAGE)), max(1, number)
    with core.db.read() as tx:
        found = pipelines.page(
            tx, state=state, search=search, limit=size, offset=(number - 1) * size
        )
        rows = [
            wire.Pipeline(**_fields(row, pipelines.stages(tx, row.id), lang)) for row in found.rows
        ]
    return wire.PipelinePage(pipelines=rows, total=found.total, page=number, size=size)


def summary(core: Core, ident: str, lang: Lang) -> wire.Pipeline:
    """Return a pipeline as lists show it."""
    with core.db.read() as tx:
        row = pipelines.get(tx, ident)
        return wire.Pipeline(**_fields(row, pipelines.stages(tx, ident), lang))


def detail(
    core: Core, ident: str, lang: Lang, findings: list[Finding] | None = None
) -> wire.PipelineDetail:
    """Return everything about a pipeline."""
    with core.db.read() as tx:
        row = pipelines.get(tx, ident)
        rows = pipelines.stages(tx, ident)
        shown = [_stage(tx, one, lang) for one in rows]
    return wire.PipelineDetail(
        **_fields(row, rows, lang), text=row.text, stages=shown,
        findings=shapes(findings or [], lang),
    )  # fmt: skip


def _fields(row: PipelineRow, stages: list[StageRow], lang: Lang) -> dict[str, Any]:
    stopping = row.state == "running" and row.desired == "stop"
    return {
        "id": row.id,
        "name": row.name,
        "state": "stopping" if stopping else row.state,
        "message": views.pick(row.message, lang),
        "fresh": row.fresh,
        "lab": row.lab,
        "owner": row.owner,
        "counts": dict(Counter(one.state for one in stages)),
        "created_at": from_unix(row.created_at),
        "ended_at": from_unix(row.ended_at),
        "updated_at": from_unix(row.updated_at),
    }


def _stage(tx: Tx, row: StageRow, lang: Lang) -> wire.Stage:
    stage = row.stage
    job, measured = None, []
    if row.job_id is not None:
        with contextlib.suppress(StarForgeError):  # it was deleted
            job = views.job(jobs.summary(tx, row.job_id), lang)
            measured = scores.primary(tx, row.job_id)
    return wire.Stage(
        name=row.name,
        kind=stage.kind,
        what=stage.experiment or ", ".join(stage.benchmarks),
        method=row.request["method"],
        state=row.state,
        needs=needs_of(stage),
        gates=[gate.text for gate in stage.gates],
        verdicts=[_verdict(one, lang) for one in row.verdicts],
        attempt=row.attempt,
        retries=stage.retries,
        reused=row.reused,
        plan_digest=row.plan_digest,
        message=views.pick(row.message, lang),
        scores=[views.score(one) for one in measured],
        job=job,
        job_id=row.job_id,
        started_at=from_unix(row.started_at),
        ended_at=from_unix(row.ended_at),
    )


def _verdict(one: Verdict, lang: Lang) -> wire.Verdict:
    return wire.Verdict(
        gate=one.gate, met=one.met, text=one.text.pick(lang), value=views.finite(one.value),
        stderr=views.finite(one.stderr), bound=views.finite(one.bound),
    )  # fmt: skip
