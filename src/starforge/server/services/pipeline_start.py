"""Start one stage: put what other stages left in its place, or take a job that did the same."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from starforge import layout
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.pipelines.model import Result
from starforge.pipelines.stages import inputs_of
from starforge.plan import InputRef, LaunchPlan
from starforge.server.core import Core
from starforge.server.services import models
from starforge.server.services.job_names import MAX, usable_name
from starforge.server.services.submit import Origin, differs, submit
from starforge.server.services.views import within
from starforge.server.store import jobs, pipelines
from starforge.server.store.pipelines import PipelineRow, StageRow
from starforge.server.store.records import Job
from starforge.wire.findings import Input
from starforge.wire.jobs import SubmitRequest


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """The job of a stage: a new one, or one of an earlier run that did the same."""

    job_id: str
    digest: str
    reused: bool


def start(core: Core, run: PipelineRow, stage: StageRow, givers: dict[str, StageRow]) -> Started:
    """Return the job of a stage whose ``givers`` have succeeded; made once, whatever crashes.

    Raises :class:`StarForgeError` for what keeps the stage from running.
    """
    key = f"pipeline:{run.id}:{stage.name}:{stage.attempt}"
    with core.db.read() as tx:
        known = jobs.of_key(tx, key)
    taken = {what: _giver(core, givers[one.stage]) for what, one in stage.stage.results.items()}
    filled = _fill(core, stage, taken)
    digest = _digest(core, stage, taken, filled)
    if known is None and stage.attempt == 0 and not run.fresh:
        with core.db.read() as tx:
            done = pipelines.finished(tx, stage.name, digest)
        if done is not None and core.settings.job_dir(done).is_dir():
            return Started(job_id=done, digest=digest, reused=True)
    model = stage.stage.results.get("model")
    first = model or next(iter(stage.stage.results.values()), None)
    origin = Origin(
        parent=givers[first.stage].job_id if first else None, pipeline=run.id, stage=stage.name,
        check=lambda plan: _check(stage, plan),
    )  # fmt: skip
    ending = f"-{stage.name}"
    request = filled.model_copy(update={
        "name": usable_name(run.name[: MAX - len(ending)] + ending),
        "idempotency_key": key,
        "plan_digest": None,
    })  # fmt: skip
    job_id, _ = submit(core, request, run.lang, origin)
    return Started(job_id=job_id, digest=digest, reused=False)


def _giver(core: Core, row: StageRow) -> Job:
    with core.db.read() as tx:
        return jobs.get(tx, str(row.job_id))


def _fill(core: Core, stage: StageRow, taken: dict[str, Job]) -> SubmitRequest:
    """Return the submission of a stage with the results of others in their places."""
    request = SubmitRequest.model_validate(stage.request)
    replace = dict(request.replace)
    inputs = [one for one in request.inputs if one.name not in stage.stage.results]
    for what, result in stage.stage.results.items():
        job = taken[what]
        if result.path is None:
            which = f"@{result.which}" if result.which else ""
            replace[what] = f"job:{job.id}{which}"
            continue
        digest = core.blobs.put_file(_file(core, job, result))
        replace[what] = f"{layout.OUTPUT}/{result.path}"  # never read as another reference
        inputs.append(Input(name=what, kind="blob", location=digest, digest=digest))
    return request.model_copy(update={"replace": replace, "inputs": inputs})


def _file(core: Core, job: Job, result: Result) -> Path:
    """Return the file below a job's output folder that a stage takes."""
    output = core.settings.job_dir(job.id) / layout.OUTPUT
    path = within(str(result.path), output)
    if path is not None and path.is_file():
        return path
    raise StarForgeError(
        "pipeline/no-file",
        Text(f"stage {result.stage} (job {job.id}) left no file {layout.OUTPUT}/{result.path}",
             f"阶段 {result.stage}（任务 {job.id}）没有产出文件 {layout.OUTPUT}/{result.path}"),
        Text("the stage must write it below $STARFORGE_OUTPUT_DIR",
             "该阶段应把它写到 $STARFORGE_OUTPUT_DIR 之下"),
        status=422,
    )  # fmt: skip


def _digest(core: Core, stage: StageRow, taken: dict[str, Job], filled: SubmitRequest) -> str:
    """Return the digest of all that decides a stage's result: its plan, and what goes in.

    A model counts by the job and attempt that made it: its weights are too large to be read.
    Rows count by their content. What only the server can look up counts by what it means now.
    """
    rows = {one.name: one.digest for one in filled.inputs}
    given: list[Any] = []
    for what, result in sorted(stage.stage.results.items()):
        job = taken[what]
        model = [job.id, job.current_attempt, result.which]
        given.append([what, rows[what] if result.path is not None else model])
    named = []
    for one in filled.inputs:
        if one.kind in ("job", "registry") and not one.name.startswith("data."):
            ref = InputRef(name=one.name, kind=one.kind, location=one.location)
            named.append([one.name, models.resolve(core, ref)])
    whole = msgspec.json.encode([stage.plan_digest, given, sorted(named)])
    return hashlib.sha256(whole).hexdigest()


def _check(stage: StageRow, plan: LaunchPlan) -> None:
    """Refuse a plan that is not the one printed, but for what came from other stages.

    Rows may change more of it (the number of steps); then only inputs that were known count.
    """
    results = stage.stage.results
    if any(one.path is not None for one in results.values()):
        return
    symbolic = inputs_of(stage.stage)
    inputs = [
        InputRef(name=one.name, kind="job", location=symbolic[one.name])
        if one.name in results
        else one
        for one in plan.inputs
    ]
    again = msgspec.structs.replace(plan, inputs=inputs)
    if again.digest() != stage.plan_digest:
        raise differs(again, again.digest())
