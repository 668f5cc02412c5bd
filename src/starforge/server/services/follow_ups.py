"""``then``: makes the jobs that follow a job's success, each of them exactly once.

The parent is ``due`` in the store until all have been made. Each has an idempotency key of
parent, attempt and place, so a server that dies in the middle is finished by the next one.
A step that can't be made becomes an event of the parent, which has succeeded all the same.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import structlog

from starforge import layout
from starforge.errors import StarForgeError
from starforge.frameworks.exporting import export_plan
from starforge.i18n import Text
from starforge.lab.bundle import pack
from starforge.lab.then import label, write_experiment
from starforge.plan import FollowUp, LaunchPlan
from starforge.prepare import prepare
from starforge.server.core import Core
from starforge.server.errors import FindingsError
from starforge.server.services import materialise, models, runtimes
from starforge.server.services.job_names import MAX, usable_name
from starforge.server.services.preparation import EXPERIMENT, Made, ServerResolver
from starforge.server.services.submit import enqueue, require_room
from starforge.server.store import artifacts, events, jobs
from starforge.server.store.records import Job, JobChange, NewJob
from starforge.wire.findings import Input

log = structlog.get_logger("starforge.follow_ups")


def make(core: Core, parent_id: str) -> None:
    """Make what follows a job; what was made before is found again by its key.

    A full disk is raised: then it is tried again later.
    """
    with core.db.read() as tx:
        parent = jobs.get(tx, parent_id)
    for index, step in enumerate(parent.plan.then or []):
        try:
            _make_one(core, parent, index, step)
        except StarForgeError as error:
            log.warning("follow-up refused", job=parent.id, step=index, error=error.message.en)
            _refused(core, parent, index, step, error)
    with core.db.write() as tx:
        jobs.change(tx, parent.id, JobChange(follow_ups="made"))
    core.bus.publish("job", parent.id)
    core.bus.publish("wake")


def _make_one(core: Core, parent: Job, index: int, step: FollowUp) -> None:
    key = f"then:{parent.id}:{parent.current_attempt or 0}:{index}"
    with core.db.read() as tx:
        if jobs.of_key(tx, key) is not None:
            return
    with _work(core) as work:
        if step.kind == "export":
            plan, built, more = _export(core, parent, step, work)
        else:
            plan, built, more = _benchmark(core, parent, step, work)
        new = _new_job(parent, step, plan, index=index, key=key, more=more)
        child, is_new = enqueue(core, new, built)
    if not is_new:
        return
    text = Text(
        f"followed by job {child} ({label(step)})", f"后续任务 {child}（{label(step)}）已创建"
    )
    with core.db.write() as tx:
        events.add(tx, "follow_up", job_id=parent.id, text=text, data={"job": child, "step": index})
    log.info("follow-up made", job=parent.id, step=index, child=child)


@contextlib.contextmanager
def _work(core: Core) -> Iterator[Path]:
    work = Path(tempfile.mkdtemp(prefix=".new-", dir=core.settings.jobs))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


Built = tuple[LaunchPlan, Path, dict[str, Any]]


def _export(core: Core, parent: Job, step: FollowUp, work: Path) -> Built:
    plan = export_plan(parent.plan, step, parent.id)
    found = _check(core, plan)
    built = materialise.fill_bare(work, plan)
    return plan, built, {"models": found, "form": step.form}


def _benchmark(core: Core, parent: Job, step: FollowUp, work: Path) -> Built:
    folder = work / EXPERIMENT
    code = core.settings.job_dir(parent.id) / layout.CODE
    model = f"job:{parent.id}"
    write_experiment(step, folder, model=model, roots=[code], gpus=parent.plan.resources.gpus)
    inputs = _inputs(core, step, folder)
    resolver = ServerResolver(core, folder, inputs)
    prepared = prepare(folder, resolver=resolver, catalog=core.catalog)
    if prepared.plan is None or prepared.experiment is None:
        raise FindingsError(prepared.findings)
    found = _check(core, prepared.plan)
    bundle = pack(prepared.files)
    core.blobs.put([bundle.data], digest=bundle.sha256)
    more = {
        "models": found,
        "bundle": bundle.sha256,
        "data": prepared.experiment.data,
        "params": prepared.experiment.params,
        "resources": prepared.experiment.resources,
        "findings": msgspec.to_builtins(prepared.findings),
    }
    record = {"findings.json": more["findings"]}
    made = Made(prepared=prepared, folder=folder, work=work)
    return prepared.plan, materialise.fill(core, made, prepared.plan, record), more


def _inputs(core: Core, step: FollowUp, folder: Path) -> list[Input]:
    """Return the items of a step as an upload would bring them."""
    if step.data is None or step.data.startswith("dataset:"):
        return []
    digest = core.blobs.put_file(folder / step.data)
    return [Input(name="data.test", kind="blob", location=digest, digest=digest)]


def _check(core: Core, plan: LaunchPlan) -> dict[str, str]:
    """Refuse what can't run here; return where the models lie."""
    require_room(core, plan)
    runtimes.interpreter(core, plan)
    return models.locations(core, plan)


def _new_job(
    parent: Job, step: FollowUp, plan: LaunchPlan, *, index: int, key: str, more: dict[str, Any]
) -> NewJob:
    bundle = more.pop("bundle", None)
    ending = f"-{label(step)}"
    return NewJob(
        name=usable_name(parent.name[: MAX - len(ending)] + ending),
        plan=plan,
        plan_digest=plan.digest(),
        experiment={
            "model": f"job:{parent.id}",
            "step": index,
            "lang": parent.experiment.get("lang"),
            **more,
        },
        bundle=bundle,
        token_hash="",
        priority=parent.priority,
        tags=parent.tags,
        lab=parent.lab,
        source=parent.source,
        idempotency_key=key,
        parent=parent.id,
    )


def _refused(core: Core, parent: Job, index: int, step: FollowUp, error: StarForgeError) -> None:
    name, why = label(step), error.message
    if isinstance(error, FindingsError):
        wrong = [one for one in error.findings if one.severity == "error"]
        why = wrong[0].message if wrong else why
    text = Text(f"{name} could not follow: {why.en}", f"后续步骤 {name} 未能创建：{why.zh}")
    with core.db.write() as tx:
        events.add(tx, "follow_up_refused", job_id=parent.id, text=text, data={"step": index})


def note_check(core: Core, child_id: str) -> None:
    """Keep with a parent's model what its export check saw; doing it again changes nothing."""
    with core.db.read() as tx:
        child = jobs.get(tx, child_id)
        seen = [one.meta for one in artifacts.of_job(tx, child_id, kind="check") if one.meta]
        location = (child.experiment.get("models") or {}).get("model")
        if child.parent is None or not seen or not isinstance(location, str):
            return
        of_parent = artifacts.of_job(tx, child.parent, kind="model")
    root = core.settings.job_dir(child.parent)
    for one in of_parent:
        if (root / one.path).resolve() == Path(location).resolve():
            meta = {**(one.meta or {}), "check": {**seen[-1], "job": child_id}}
            with core.db.write() as tx:
                artifacts.set_meta(tx, child.parent, one.path, meta)
