"""Sweeps and their trials, changed by compare-and-set of their states."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import func, select

from starforge.errors import StarForgeError
from starforge.i18n import Lang, Text
from starforge.server.store import ids
from starforge.server.store.database import Tx
from starforge.server.store.records import Desired
from starforge.server.store.rows import changes, clean, struct
from starforge.server.store.tables import sweeps, trials

SweepState = Literal["running", "succeeded", "failed", "stopped"]
TrialState = Literal["waiting", "running", "succeeded", "failed", "stopped", "pruned"]
Goal = Literal["max", "min"]


class Search(msgspec.Struct, frozen=True):
    """``count`` trials chosen from ``space`` (``NAME=LOW..HIGH``), each from those before it."""

    space: list[str]
    count: int
    seed: int


class EarlyStop(msgspec.Struct, frozen=True):
    """Rungs lie at ``first``, ``first * factor``, ... steps; one of ``factor`` goes on from each.

    ``first`` is ``None`` until it is known how many steps a trial takes.
    """

    factor: int
    first: int | None = None


class NewSweep(msgspec.Struct, frozen=True, kw_only=True):
    """What a new sweep is made of; ``request`` is the ``SubmitRequest`` of all trials."""

    name: str
    method: str
    metric: str
    goal: Goal
    jobs: int
    request: dict[str, Any]
    lang: Lang
    idempotency_key: str | None
    search: Search | None = None
    early_stop: EarlyStop | None = None


class SweepRow(msgspec.Struct, frozen=True, kw_only=True):
    """A sweep; at most ``jobs`` of its trials run at once."""

    id: str
    name: str
    state: SweepState
    desired: Desired
    method: str
    metric: str
    goal: Goal
    jobs: int
    request: dict[str, Any]
    lang: Lang
    search: Search | None
    early_stop: EarlyStop | None
    created_at: float
    ended_at: float | None


class NewTrial(msgspec.Struct, frozen=True):
    """Parameters by name, each as ``--set`` would have it, and the digest of their plan."""

    parameters: dict[str, str]
    plan_digest: str


class TrialRow(msgspec.Struct, frozen=True, kw_only=True):
    """A trial. ``value`` is the last one of the sweep's metric.

    ``rungs`` are its values at the rungs it came to (``None``: not a number), ``pruned_at`` is
    the step of the last of them if it was not to go on from there.
    """

    sweep_id: str
    number: int
    parameters: dict[str, str]
    plan_digest: str
    state: TrialState
    attempt: int
    job_id: str | None
    value: float | None
    message: Text | None
    rungs: list[float | None] | None
    pruned_at: int | None


class TrialChange(msgspec.Struct, frozen=True, kw_only=True):
    """New values for a trial; what is left out stays as it is."""

    state: TrialState | UnsetType = UNSET
    attempt: int | UnsetType = UNSET
    job_id: str | UnsetType | None = UNSET
    value: float | UnsetType | None = UNSET
    message: Text | UnsetType | None = UNSET
    rungs: list[float | None] | UnsetType | None = UNSET
    pruned_at: int | UnsetType | None = UNSET


class SweepChange(msgspec.Struct, frozen=True, kw_only=True):
    """New values for a sweep; what is left out stays as it is."""

    state: SweepState | UnsetType = UNSET
    desired: Desired | UnsetType = UNSET
    ended_at: float | UnsetType | None = UNSET
    early_stop: EarlyStop | UnsetType | None = UNSET


_COLUMNS = [sweeps.c[name] for name in SweepRow.__struct_fields__]
_TRIAL = [trials.c[name] for name in TrialRow.__struct_fields__]


def create(tx: Tx, new: NewSweep, made: list[NewTrial]) -> str:
    """Keep a sweep with its trials in order, all waiting; return its id."""
    now = time.time()
    last = tx.execute(select(func.max(sweeps.c.created_at))).scalar()
    now = now if last is None or last < now else last + 0.001  # the newest of a name stays so
    ident = ids.make(now)
    while tx.execute(select(sweeps.c.id).where(sweeps.c.id == ident)).scalar() is not None:
        now += 0.001
        ident = ids.make(now)
    values = {**msgspec.structs.asdict(new), "name": clean(new.name)}
    tx.execute(sweeps.insert().values(
        **values, id=ident, state="running", desired="run", created_at=now, updated_at=now
    ))  # fmt: skip
    for number, one in enumerate(made):
        add_trial(tx, ident, number, one)
    return ident


def add_trial(tx: Tx, ident: str, number: int, new: NewTrial) -> None:
    """Keep a trial that waits; its number must be free."""
    tx.execute(trials.insert().values(
        sweep_id=ident, number=number, parameters=new.parameters,
        plan_digest=new.plan_digest, state="waiting", attempt=0,
    ))  # fmt: skip


def of_key(tx: Tx, key: str) -> str | None:
    """Return the id of the sweep that was sent with this idempotency key."""
    return tx.execute(select(sweeps.c.id).where(sweeps.c.idempotency_key == key)).scalar()


def find(tx: Tx, ref: str) -> SweepRow:
    """Return a sweep by id, unique prefix of an id, or name (the newest of that name)."""
    newest = select(*_COLUMNS).order_by(sweeps.c.created_at.desc())
    for condition in (sweeps.c.id == ref.lower(), sweeps.c.name == ref):
        row = tx.execute(newest.where(condition).limit(1)).one_or_none()
        if row is not None:
            return struct(SweepRow, row)
    prefix = sweeps.c.id.startswith(ref.lower(), autoescape=True)
    alike = tx.execute(newest.where(prefix).limit(2)).all()
    if ref and len(alike) == 1:
        return struct(SweepRow, alike[0])
    raise StarForgeError(
        "sweep/not-found",
        Text("there is no sweep `{ref}` on the server", "服务上没有搜索 `{ref}`").format(ref=ref),
        Text("`sf sweep ls` lists them; a name, an id or the start of an id will do",
             "用 `sf sweep ls` 查看；名称、ID 或 ID 的开头部分均可"),
        status=404,
    )  # fmt: skip


def newest(tx: Tx, limit: int) -> list[SweepRow]:
    """Return the newest sweeps, newest first."""
    statement = select(*_COLUMNS).order_by(sweeps.c.created_at.desc(), sweeps.c.id.desc())
    return [struct(SweepRow, row) for row in tx.execute(statement.limit(limit))]


def running(tx: Tx) -> list[str]:
    """Return the ids of the sweeps that have not ended, oldest first."""
    statement = select(sweeps.c.id).where(sweeps.c.state == "running")
    return list(tx.execute(statement.order_by(sweeps.c.created_at)).scalars())


def of_sweep(tx: Tx, ident: str) -> list[TrialRow]:
    """Return the trials of a sweep in order."""
    statement = select(*_TRIAL).where(trials.c.sweep_id == ident).order_by(trials.c.number)
    return [struct(TrialRow, row) for row in tx.execute(statement)]


def change(tx: Tx, ident: str, new: SweepChange, *, expect: Collection[SweepState]) -> bool:
    """Change a sweep if its state is one of ``expect``; say whether it was changed."""
    statement = sweeps.update().where(sweeps.c.id == ident, sweeps.c.state.in_(list(expect)))
    return tx.execute(statement.values(**changes(new), updated_at=time.time())).rowcount == 1


def change_trial(
    tx: Tx, trial: TrialRow, new: TrialChange, *, expect: Collection[TrialState]
) -> bool:
    """Change a trial if its state is one of ``expect``; say whether it was changed."""
    statement = trials.update().where(
        trials.c.sweep_id == trial.sweep_id,
        trials.c.number == trial.number,
        trials.c.state.in_(list(expect)),
    )
    return tx.execute(statement.values(**changes(new))).rowcount == 1


def pruned(tx: Tx, job_id: str) -> Text | None:
    """Return why a job is to end early, if it is the job of a trial that was pruned."""
    statement = select(trials.c.message).where(trials.c.job_id == job_id)
    found = tx.execute(statement.where(trials.c.pruned_at.is_not(None))).scalar()
    return None if found is None else msgspec.convert(found, Text)
