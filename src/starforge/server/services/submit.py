"""Submission: prepare again, compare with what was printed, build the folder, queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import structlog

from starforge.errors import StarForgeError
from starforge.i18n import Lang, Text
from starforge.plan import LaunchPlan
from starforge.server.control.queue import Need
from starforge.server.core import Core
from starforge.server.errors import DetailedError, FindingsError
from starforge.server.services import materialise, models, published, runtimes
from starforge.server.services.account import account
from starforge.server.services.job_names import require_name
from starforge.server.services.preparation import Made, prepared
from starforge.server.store import attempts, events, jobs
from starforge.server.store.records import AttemptChange, NewJob, Source
from starforge.wire.jobs import SubmitRequest

log = structlog.get_logger("starforge.submit")


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """On whose behalf a job is made, when no person asked for it: a stage, a trial of a sweep.

    ``pipeline`` and ``sweep`` are ids, ``parent`` the job that the new one builds on. ``check``
    may refuse the plan, in place of the digest in the request. ``tags`` come to those of the
    experiment.
    """

    parent: str | None = None
    pipeline: str | None = None
    stage: str | None = None
    sweep: str | None = None
    trial: int | None = None
    check: Callable[[LaunchPlan], None] | None = None
    tags: list[str] = []


def submit(
    core: Core, request: SubmitRequest, lang: Lang, origin: Origin | None = None
) -> tuple[str, bool]:
    """Queue a job; return its id and whether it is new.

    Refused: findings that are errors (422), a plan other than the one printed (409), and
    what can never run here: too many slots, no runtime, no model.
    """
    if request.name is not None:
        require_name(request.name)
    known = _known(core, request.idempotency_key)
    if known is not None:
        return known, False
    if request.method is not None:
        published.require(core, request.method, request.recipe_digest)
    with prepared(core, request) as made:
        done = made.prepared
        if not done.ok or done.plan is None:
            raise FindingsError(done.findings)
        plan = done.plan
        digest = plan.digest()
        if request.plan_digest is not None and request.plan_digest != digest:
            raise differs(plan, digest)
        if origin is not None and origin.check is not None:
            origin.check(plan)
        require_place(core, plan)
        extra: dict[str, Any] = {"lang": lang, "models": models.locations(core, plan)}
        why: dict[str, Any] = {"rerun_of": request.rerun_of, "cloned_from": request.cloned_from}
        if origin is not None:
            why |= {"stage": origin.stage, "sweep": origin.sweep, "trial": origin.trial}
        extra |= {key: value for key, value in why.items() if value is not None}
        new = _new_job(request, made, plan, extra)
        if origin is not None:
            new = msgspec.structs.replace(
                new, parent=origin.parent, pipeline=origin.pipeline,
                tags=list(dict.fromkeys([*new.tags, *origin.tags])),
            )  # fmt: skip
        built = materialise.fill(core, made, plan, _record_files(request, made))
        job_id, is_new = enqueue(core, new, built)
    log.info("job submitted", job=job_id, method=plan.method, new=is_new)
    return job_id, is_new


def enqueue(core: Core, new: NewJob, built: Any) -> tuple[str, bool]:
    """Keep the row and place the folder, both or none."""
    with core.db.write() as tx:
        job, is_new = jobs.create(tx, new)
        if is_new:
            attempt = attempts.create(tx, job.id, resume=False)
            attempts.change(tx, job.id, attempt.number, AttemptChange(state=new.state))
            text = Text("submitted", "已提交")
            events.add(tx, "submitted", job_id=job.id, text=text)
            materialise.place(built, core.settings.job_dir(job.id))
    if is_new:
        core.bus.publish("job", job.id)
        core.bus.publish("wake")
    return job.id, is_new


def require_place(core: Core, plan: LaunchPlan) -> None:
    """Refuse a job for which this machine has too little, or no runtime."""
    require_room(core, plan)
    runtimes.interpreter(core, plan)
    runtimes.require_follow_ups(core, plan)


def require_room(core: Core, plan: LaunchPlan) -> None:
    """Refuse a job that this machine can never run."""
    devices = core.devices
    total = Need(devices.cpus, len(devices.gpus))
    need = Need(plan.resources.cpus, plan.resources.gpus)
    if need.fits(total):
        return
    raise StarForgeError(
        "submit/never-fits",
        Text(
            f"the job needs {need.cpus} CPUs and {need.gpus} GPUs; "
            f"this machine has {total.cpus} and {total.gpus}",
            f"任务需要 {need.cpus} 个 CPU 和 {need.gpus} 个 GPU，"
            f"而本机只有 {total.cpus} 个 CPU 和 {total.gpus} 个 GPU",
        ),
        Text(
            "choose a smaller profile, for example `--profile cpu:1`",
            "请选择更小的资源配置，例如 `--profile cpu:1`",
        ),
        status=422,
    )


def _known(core: Core, key: str | None) -> str | None:
    if key is None:
        return None
    with core.db.read() as tx:
        return jobs.of_key(tx, key)


def _new_job(request: SubmitRequest, made: Made, plan: LaunchPlan, extra: dict[str, Any]) -> NewJob:
    experiment = made.prepared.experiment
    assert experiment is not None
    priority = request.priority if request.priority is not None else experiment.priority
    return NewJob(
        name=request.name or plan.method.rpartition("/")[2],
        plan=plan,
        plan_digest=plan.digest(),
        experiment={
            "model": experiment.model,
            "data": experiment.data,
            "params": experiment.params,
            "resources": experiment.resources,
            "then": experiment.then,
            "sets": request.sets,
            "replace": request.replace,
            "findings": msgspec.to_builtins(made.prepared.findings),
            **extra,
        },
        bundle=request.bundle,
        token_hash="",  # tokens are derived, see server.auth
        priority=priority,
        tags=experiment.tags,
        description=experiment.description or None,
        lab=request.lab,
        owner=request.owner or account(),
        source=_source(request.source),
        idempotency_key=request.idempotency_key,
        follow_ups="due" if plan.then else None,
    )


def _source(given: dict[str, Any] | None) -> Source | None:
    if not given:
        return None
    return Source(
        commit=_text(given.get("commit")),
        branch=_text(given.get("branch")),
        dirty=bool(given.get("dirty")),
        extra={
            "untracked": given.get("untracked") or [],
            "truncated": bool(given.get("truncated")),
        },
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _record_files(request: SubmitRequest, made: Made) -> dict[str, Any]:
    return {
        "source.json": request.source or {},
        "findings.json": msgspec.to_builtins(made.prepared.findings),
        "submission.json": request.model_dump(exclude={"source"}),
    }


def differs(plan: LaunchPlan, digest: str) -> DetailedError:
    """Return the error for a plan that is not the one the client printed."""
    return DetailedError(
        "submit/plan-differs",
        Text(
            "the server's plan for this experiment is not the one that was printed",
            "服务为该实验生成的计划与此前显示的不一致",
        ),
        Text(
            "client and server may be of different versions, or an input has changed: "
            "look at the plan again and submit anew",
            "客户端与服务的版本可能不同，或者输入已经变化：请重新查看计划后再提交",
        ),
        status=409,
        detail={
            "plan_digest": digest,
            "plan": msgspec.to_builtins(plan),
            "differs": msgspec.to_builtins(plan.differs),
        },
    )
