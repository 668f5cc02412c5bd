"""Jobs: created once per idempotency key, changed by compare-and-set."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

import msgspec
import zstandard
from sqlalchemy import ColumnElement, Row, Select, Text, cast, func, or_, select

from starforge.errors import StarForgeError
from starforge.i18n import Text as Message
from starforge.plan import LaunchPlan
from starforge.server.store import ids
from starforge.server.store.database import Tx
from starforge.server.store.records import (
    ENDED,
    Job,
    JobChange,
    JobFilter,
    JobSort,
    JobState,
    JobSummary,
    NewJob,
    Page,
    Source,
)
from starforge.server.store.rows import changes, clean, contains, fields, struct
from starforge.server.store.tables import job_specs, jobs

_SUMMARY = [jobs.c[name] for name in JobSummary.__struct_fields__]
_SPEC = [column for column in job_specs.c if column.name != "job_id"]


def create(tx: Tx, new: NewJob) -> tuple[Job, bool]:
    """Keep a job; with a known idempotency key return that job and ``False``."""
    known = None if new.idempotency_key is None else of_key(tx, new.idempotency_key)
    if known is not None:
        return get(tx, known), False
    now = _moment(tx, new.name)
    job_id = new_id(tx, now)
    tx.execute(jobs.insert().values(_job_values(new, job_id, now)))
    tx.execute(job_specs.insert().values(_spec_values(new, job_id)))
    return get(tx, job_id), True


def _moment(tx: Tx, name: str) -> float:
    """Return the time now, but later than the jobs that a new one must come after.

    Those are the ones that wait or run and the ones of its name: when the wall clock goes
    back, the queue stays fair and a name still means its newest job.
    """
    others = or_(jobs.c.state.not_in(ENDED), jobs.c.name == clean(name))
    last = tx.execute(select(func.max(jobs.c.created_at)).where(others)).scalar()
    now = time.time()
    return now if last is None or last < now else last + 0.001


def of_key(tx: Tx, key: str) -> str | None:
    """Return the id of the job that was submitted with this idempotency key."""
    return tx.execute(select(job_specs.c.job_id).where(job_specs.c.idempotency_key == key)).scalar()


def _job_values(new: NewJob, job_id: str, now: float) -> dict[str, Any]:
    resources = new.plan.resources
    return {
        "id": job_id,
        "name": clean(new.name),
        "method": new.plan.method,
        "state": new.state,
        "desired": new.desired,
        "priority": new.priority,
        "engine": new.engine,
        "profile": resources.profile,
        "cpus": resources.cpus,
        "gpus": resources.gpus,
        "owner": new.owner,
        "lab": new.lab,
        "tags": new.tags,
        "description": None if new.description is None else clean(new.description),
        "created_at": now,
        "updated_at": now,
        "progress_total": new.plan.total_steps,
        "headline": {},
        "parent": new.parent,
        "follow_ups": new.follow_ups,
        "pipeline": new.pipeline,
    }


def _spec_values(new: NewJob, job_id: str) -> dict[str, Any]:
    return {
        "job_id": job_id,
        "plan": zstandard.compress(msgspec.json.encode(new.plan)),
        "plan_digest": new.plan_digest,
        "experiment": new.experiment,
        "bundle": new.bundle,
        "source": new.source,
        "idempotency_key": new.idempotency_key,
        "token_hash": new.token_hash,
    }


def get(tx: Tx, job_id: str) -> Job:
    """Return the job with exactly this id; StarForgeError ``job/not-found`` (404) otherwise."""
    statement = select(*_SUMMARY, *_SPEC).join(job_specs, job_specs.c.job_id == jobs.c.id)
    row = tx.execute(statement.where(jobs.c.id == job_id)).one_or_none()
    if row is None:
        raise _not_found(job_id)
    return _job(row)


def _job(row: Row[Any]) -> Job:
    known = fields(row)
    plan = msgspec.json.decode(zstandard.decompress(known.pop("plan")), type=LaunchPlan)
    # The plan is decoded already: it must not go through `convert` a second time.
    head = msgspec.convert(known, type=JobSummary)
    spec = msgspec.convert(known, type=_Spec)
    return Job(plan=plan, **msgspec.structs.asdict(head), **msgspec.structs.asdict(spec))


class _Spec(msgspec.Struct, kw_only=True):
    """The fields a job has beyond its summary, but for the plan."""

    plan_digest: str
    experiment: dict[str, Any]
    bundle: str | None
    source: Source | None
    idempotency_key: str | None
    token_hash: str


def summary(tx: Tx, job_id: str) -> JobSummary:
    """Return the listing form of a job."""
    row = tx.execute(select(*_SUMMARY).where(jobs.c.id == job_id)).one_or_none()
    if row is None:
        raise _not_found(job_id)
    return struct(JobSummary, row)


def find(tx: Tx, ref: str) -> Job:
    """Return a job by id, unique prefix of an id, or name (the newest of that name).

    Raises:
        StarForgeError: ``job/not-found`` (404) or ``job/ambiguous`` (409).
    """
    lowered = ref.lower()
    exact = tx.execute(select(jobs.c.id).where(jobs.c.id == lowered)).scalar()
    if exact is not None:
        return get(tx, exact)
    newest = select(jobs.c.id).where(jobs.c.name == ref)
    newest = newest.order_by(jobs.c.created_at.desc(), jobs.c.id.desc())
    named = tx.execute(newest.limit(1)).scalar()
    if named is not None:
        return get(tx, named)
    prefix = jobs.c.id.startswith(lowered, autoescape=True)
    alike = tx.execute(select(jobs.c.id).where(prefix).order_by(jobs.c.id).limit(4)).scalars().all()
    if ref and len(alike) == 1:
        return get(tx, alike[0])
    raise _ambiguous(ref, list(alike)) if ref and alike else _not_found(ref)


def page(
    tx: Tx,
    which: JobFilter | None = None,
    *,
    sort: JobSort = "created_at",
    descending: bool = True,
    limit: int = 50,
    offset: int = 0,
) -> Page[JobSummary]:
    """List jobs. Jobs without a value for the sort column come last."""
    conditions = _conditions(which or JobFilter())
    total = tx.execute(select(func.count()).select_from(jobs).where(*conditions)).scalar_one()
    column = jobs.c[sort]
    statement = select(*_SUMMARY).where(*conditions)
    if column.nullable:
        statement = statement.order_by(column.is_(None))
    statement = _order(statement, column, descending)
    rows = tx.execute(statement.limit(limit).offset(offset)).all()
    return Page(total=total, rows=[struct(JobSummary, row) for row in rows])


def page_by_headline(
    tx: Tx,
    which: JobFilter,
    metric: str,
    *,
    descending: bool = True,
    limit: int = 50,
    offset: int = 0,
) -> Page[JobSummary]:
    """List jobs by the last value of a primary metric. Jobs without one come last."""
    statement = select(jobs.c.id, jobs.c.headline).where(*_conditions(which))
    known: list[tuple[float, str]] = []
    others: list[str] = []
    for ident, headline in tx.execute(statement.order_by(jobs.c.id.desc())):
        value = headline.get(metric)
        if value is None:
            others.append(ident)
        else:
            known.append((float(value), ident))
    known.sort(reverse=descending)
    wanted = [*(ident for _, ident in known), *others]
    return Page(total=len(wanted), rows=_rows(tx, wanted[offset : offset + limit]))


def _rows(tx: Tx, ids: list[str]) -> list[JobSummary]:
    found = tx.execute(select(*_SUMMARY).where(jobs.c.id.in_(ids)))
    by_id = {row.id: struct(JobSummary, row) for row in found}
    return [by_id[ident] for ident in ids]


def names(tx: Tx, ids: Collection[str]) -> dict[str, str]:
    """Return what jobs are called, by id; those that are gone are left out."""
    found = tx.execute(select(jobs.c.id, jobs.c.name).where(jobs.c.id.in_(list(ids))))
    return {row.id: row.name for row in found}


def inputs_of(tx: Tx, ids: Collection[str]) -> dict[str, tuple[str | None, str | None]]:
    """Return model and training data of jobs as their experiments name them."""
    specs = select(job_specs.c.job_id, job_specs.c.experiment)
    found = tx.execute(specs.where(job_specs.c.job_id.in_(list(ids))))
    return {ident: (_text(kept.get("model")), _train(kept.get("data"))) for ident, kept in found}


def _train(data: Any) -> str | None:
    return _text(data.get("train") if isinstance(data, dict) else data)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _order(statement: Select[Any], column: ColumnElement[Any], descending: bool) -> Select[Any]:
    tie = jobs.c.id
    if descending:
        return statement.order_by(column.desc(), tie.desc())
    return statement.order_by(column.asc(), tie.asc())


def _conditions(which: JobFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if which.states:
        found.append(jobs.c.state.in_(which.states))
    if which.methods:
        found.append(jobs.c.method.in_(which.methods))
    if which.model is not None:
        # `experiment` begins with the model (see `services.submit`).
        start = f'{{"model":{msgspec.json.encode(which.model).decode()}'
        column = cast(job_specs.c.experiment, Text)
        named = select(job_specs.c.job_id).where(column.startswith(start, autoescape=True))
        found.append(jobs.c.id.in_(named))
    for name in ("owner", "lab", "engine", "pipeline"):
        value = getattr(which, name)
        if value is not None:
            found.append(jobs.c[name] == value)
    tags = cast(jobs.c.tags, Text)
    if which.tag is not None:
        found.append(tags.contains(msgspec.json.encode(which.tag).decode(), autoescape=True))
    if which.search:
        columns = [jobs.c.id, jobs.c.name, jobs.c.method, jobs.c.description, tags]
        found.append(or_(*(contains(column, which.search) for column in columns)))
    if which.created_after is not None:
        found.append(jobs.c.created_at >= which.created_after)
    if which.created_before is not None:
        found.append(jobs.c.created_at <= which.created_before)
    return found


def in_states(tx: Tx, states: Collection[JobState]) -> list[JobSummary]:
    """Return all jobs in the given states, highest priority first, then oldest first."""
    statement = select(*_SUMMARY).where(jobs.c.state.in_(list(states)))
    order = (jobs.c.priority.desc(), jobs.c.created_at, jobs.c.id)
    return [struct(JobSummary, row) for row in tx.execute(statement.order_by(*order))]


def children(tx: Tx, job_id: str) -> list[JobSummary]:
    """Return the jobs that were made because this one succeeded, oldest first."""
    statement = select(*_SUMMARY).where(jobs.c.parent == job_id)
    order = (jobs.c.created_at, jobs.c.id)
    return [struct(JobSummary, row) for row in tx.execute(statement.order_by(*order))]


def with_follow_ups_due(tx: Tx) -> list[str]:
    """Return the ids of succeeded jobs whose follow-ups have not all been made."""
    due = (jobs.c.follow_ups == "due", jobs.c.state == "succeeded")
    statement = select(jobs.c.id).where(*due).order_by(jobs.c.ended_at, jobs.c.id)
    return list(tx.execute(statement).scalars())


def change(
    tx: Tx, job_id: str, new: JobChange, *, expect: Collection[JobState] | None = None
) -> bool:
    """Change a job if its state is one of ``expect``; say whether it was changed."""
    statement = jobs.update().where(jobs.c.id == job_id)
    if expect is not None:
        statement = statement.where(jobs.c.state.in_(list(expect)))
    values = changes(new)
    token_hash = values.pop("token_hash", None)
    done = tx.execute(statement.values(**values, updated_at=time.time())).rowcount == 1
    if done and token_hash is not None:
        spec = job_specs.update().where(job_specs.c.job_id == job_id)
        tx.execute(spec.values(token_hash=token_hash))
    return done


def delete(tx: Tx, job_id: str) -> None:
    """Forget a job and everything that hangs on it (rows only, no files)."""
    tx.execute(jobs.delete().where(jobs.c.id == job_id))


def new_id(tx: Tx, now: float | None = None) -> str:
    """Return an unused id: 10 characters that sort by time."""
    moment = time.time() if now is None else now
    while True:
        made = ids.make(moment)
        if tx.execute(select(jobs.c.id).where(jobs.c.id == made)).scalar() is None:
            return made
        moment += 0.001


def _not_found(ref: str) -> StarForgeError:
    return StarForgeError(
        "job/not-found",
        Message("there is no job `{ref}`", "没有任务 `{ref}`").format(ref=ref),
        Message(
            "`sf job ls` lists the jobs; a name, an id or the start of an id will do",
            "用 `sf job ls` 查看所有任务；名称、ID 或 ID 的开头部分均可",
        ),
        status=404,
    )


def _ambiguous(ref: str, alike: list[str]) -> StarForgeError:
    return StarForgeError(
        "job/ambiguous",
        Message(
            "several jobs begin with `{ref}`: {ids}", "有多个任务的 ID 以 `{ref}` 开头：{ids}"
        ).format(ref=ref, ids=", ".join(alike[:3]) + (", ..." if len(alike) > 3 else "")),
        Message("give more characters of the id", "请多输入几位 ID"),
        status=409,
    )
