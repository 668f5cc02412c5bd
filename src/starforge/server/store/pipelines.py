"""Pipelines and their stages, changed by compare-and-set of their states."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import func, select

from starforge.errors import StarForgeError
from starforge.i18n import Lang, Text
from starforge.pipelines.gates import Verdict
from starforge.pipelines.model import Stage
from starforge.server.store import ids
from starforge.server.store.database import Tx
from starforge.server.store.records import Desired, Page
from starforge.server.store.rows import changes, clean, contains, struct
from starforge.server.store.tables import jobs, pipeline_stages, pipelines

PipelineState = Literal["running", "succeeded", "failed", "stopped"]
StageState = Literal[
    "waiting", "running", "succeeded", "failed", "gate_failed", "skipped", "stopped"
]


class PipelineRow(msgspec.Struct, frozen=True, kw_only=True):
    """A pipeline. ``text`` is its pipeline.yaml; with ``fresh`` nothing that ran before counts."""

    id: str
    name: str
    state: PipelineState
    desired: Desired
    message: Text | None
    text: str
    fresh: bool
    lang: Lang
    lab: str | None
    owner: str | None
    created_at: float
    ended_at: float | None
    updated_at: float


class NewPipeline(msgspec.Struct, frozen=True, kw_only=True):
    """What a new pipeline is made of."""

    name: str
    text: str
    fresh: bool
    lang: Lang
    lab: str | None
    owner: str | None
    idempotency_key: str | None


class NewStage(msgspec.Struct, frozen=True, kw_only=True):
    """What a new stage is made of; ``request`` is the ``SubmitRequest`` of its job."""

    stage: Stage
    request: dict[str, Any]
    plan_digest: str


class StageRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stage. ``job_id`` is the job of its last attempt, ``reused`` that of an earlier run.

    ``digest`` covers the plan and what went in from other stages: a stage with the same one
    need not run again.
    """

    pipeline_id: str
    name: str
    position: int
    stage: Stage
    request: dict[str, Any]
    plan_digest: str
    state: StageState
    attempt: int
    job_id: str | None
    digest: str | None
    reused: bool
    message: Text | None
    verdicts: list[Verdict]
    started_at: float | None
    ended_at: float | None


class StageChange(msgspec.Struct, frozen=True, kw_only=True):
    """New values for a stage; what is left out stays as it is."""

    state: StageState | UnsetType = UNSET
    attempt: int | UnsetType = UNSET
    job_id: str | UnsetType | None = UNSET
    digest: str | UnsetType | None = UNSET
    reused: bool | UnsetType = UNSET
    message: Text | UnsetType | None = UNSET
    verdicts: list[Verdict] | UnsetType = UNSET
    started_at: float | UnsetType | None = UNSET
    ended_at: float | UnsetType | None = UNSET


class PipelineChange(msgspec.Struct, frozen=True, kw_only=True):
    """New values for a pipeline; what is left out stays as it is."""

    state: PipelineState | UnsetType = UNSET
    desired: Desired | UnsetType = UNSET
    message: Text | UnsetType | None = UNSET
    ended_at: float | UnsetType | None = UNSET


_COLUMNS = [pipelines.c[name] for name in PipelineRow.__struct_fields__]
_STAGE = [pipeline_stages.c[name] for name in StageRow.__struct_fields__]


def create(tx: Tx, new: NewPipeline, stages: list[NewStage]) -> str:
    """Keep a pipeline with its stages in order, all waiting; return its id."""
    now = time.time()
    last = tx.execute(select(func.max(pipelines.c.created_at))).scalar()
    now = now if last is None or last < now else last + 0.001  # the newest of a name stays so
    ident = _new_id(tx, now)
    values = msgspec.structs.asdict(new)
    values["name"] = clean(new.name)
    tx.execute(pipelines.insert().values(
        **values, id=ident, state="running", desired="run", created_at=now, updated_at=now
    ))  # fmt: skip
    for position, one in enumerate(stages):
        tx.execute(pipeline_stages.insert().values(
            pipeline_id=ident, name=one.stage.name, position=position, stage=one.stage,
            request=one.request, plan_digest=one.plan_digest, state="waiting", attempt=0,
            reused=False, verdicts=[],
        ))  # fmt: skip
    return ident


def of_key(tx: Tx, key: str) -> str | None:
    """Return the id of the pipeline that was sent with this idempotency key."""
    return tx.execute(select(pipelines.c.id).where(pipelines.c.idempotency_key == key)).scalar()


def get(tx: Tx, ident: str) -> PipelineRow:
    """Return the pipeline with exactly this id; StarForgeError ``pipeline/not-found`` else."""
    row = tx.execute(select(*_COLUMNS).where(pipelines.c.id == ident)).one_or_none()
    if row is None:
        raise _not_found(ident)
    return struct(PipelineRow, row)


def find(tx: Tx, ref: str) -> PipelineRow:
    """Return a pipeline by id, unique prefix of an id, or name (the newest of that name)."""
    lowered = ref.lower()
    newest = select(pipelines.c.id).where(pipelines.c.name == ref)
    newest = newest.order_by(pipelines.c.created_at.desc()).limit(1)
    for statement in (select(pipelines.c.id).where(pipelines.c.id == lowered), newest):
        ident = tx.execute(statement).scalar()
        if ident is not None:
            return get(tx, ident)
    prefix = pipelines.c.id.startswith(lowered, autoescape=True)
    alike = tx.execute(select(pipelines.c.id).where(prefix).limit(2)).scalars().all()
    if ref and len(alike) == 1:
        return get(tx, alike[0])
    raise _not_found(ref)


def page(
    tx: Tx, *, state: str | None = None, search: str | None = None, limit: int, offset: int
) -> Page[PipelineRow]:
    """List pipelines, newest first. One that is to stop but still runs is ``stopping``."""
    conditions = []
    if state in ("running", "stopping"):
        desired = "run" if state == "running" else "stop"
        conditions += [pipelines.c.state == "running", pipelines.c.desired == desired]
    elif state is not None:
        conditions.append(pipelines.c.state == state)
    if search:
        conditions.append(contains(pipelines.c.name, search))
    counted = select(func.count()).select_from(pipelines).where(*conditions)
    statement = select(*_COLUMNS).where(*conditions)
    statement = statement.order_by(pipelines.c.created_at.desc(), pipelines.c.id.desc())
    rows = tx.execute(statement.limit(limit).offset(offset)).all()
    return Page(
        total=tx.execute(counted).scalar_one(), rows=[struct(PipelineRow, row) for row in rows]
    )


def running(tx: Tx) -> list[str]:
    """Return the ids of the pipelines that have not ended, oldest first."""
    statement = select(pipelines.c.id).where(pipelines.c.state == "running")
    return list(tx.execute(statement.order_by(pipelines.c.created_at)).scalars())


def stages(tx: Tx, ident: str) -> list[StageRow]:
    """Return the stages of a pipeline in order."""
    statement = select(*_STAGE).where(pipeline_stages.c.pipeline_id == ident)
    rows = tx.execute(statement.order_by(pipeline_stages.c.position))
    return [struct(StageRow, row) for row in rows]


def change(tx: Tx, ident: str, new: PipelineChange, *, expect: Collection[PipelineState]) -> bool:
    """Change a pipeline if its state is one of ``expect``; say whether it was changed."""
    statement = pipelines.update().where(
        pipelines.c.id == ident, pipelines.c.state.in_(list(expect))
    )
    return tx.execute(statement.values(**changes(new), updated_at=time.time())).rowcount == 1


def change_stage(
    tx: Tx, ident: str, name: str, new: StageChange, *, expect: Collection[StageState]
) -> bool:
    """Change a stage if its state is one of ``expect``; say whether it was changed."""
    which = (pipeline_stages.c.pipeline_id == ident, pipeline_stages.c.name == name)
    statement = pipeline_stages.update().where(*which, pipeline_stages.c.state.in_(list(expect)))
    done = tx.execute(statement.values(**changes(new))).rowcount == 1
    if done:
        mine = pipelines.update().where(pipelines.c.id == ident)
        tx.execute(mine.values(updated_at=time.time()))
    return done


def finished(tx: Tx, name: str, digest: str) -> str | None:
    """Return the newest job that has succeeded for a stage of this name and digest.

    Two stages that do the same are two all the same: someone wants it done twice.
    """
    statement = (
        select(pipeline_stages.c.job_id)
        .join(jobs, jobs.c.id == pipeline_stages.c.job_id)
        .where(
            pipeline_stages.c.digest == digest,
            pipeline_stages.c.name == name,
            jobs.c.state == "succeeded",
        )
        .order_by(jobs.c.created_at.desc(), jobs.c.id.desc())
    )
    return tx.execute(statement.limit(1)).scalar()


def _new_id(tx: Tx, now: float) -> str:
    while True:
        made = ids.make(now)
        if tx.execute(select(pipelines.c.id).where(pipelines.c.id == made)).scalar() is None:
            return made
        now += 0.001


def _not_found(ref: str) -> StarForgeError:
    return StarForgeError(
        "pipeline/not-found",
        Text("there is no pipeline `{ref}` on the server", "服务上没有流水线 `{ref}`").format(
            ref=ref
        ),
        Text(
            "`sf pipeline ls` lists them; a name, an id or the start of an id will do",
            "用 `sf pipeline ls` 查看；名称、ID 或 ID 的开头部分均可",
        ),
        status=404,
    )
