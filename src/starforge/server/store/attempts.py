"""Attempts of jobs."""

from __future__ import annotations

import time
from collections.abc import Collection

from sqlalchemy import func, select

from starforge.server.store.database import Tx
from starforge.server.store.records import Attempt, AttemptChange, JobState
from starforge.server.store.rows import changes, struct
from starforge.server.store.tables import attempts, jobs

_COLUMNS = [attempts.c[name] for name in Attempt.__struct_fields__]


def create(tx: Tx, job_id: str, *, resume: bool) -> Attempt:
    """Add the next attempt (state ``starting``) and make it the job's current one."""
    mine = attempts.c.job_id == job_id
    newest = tx.execute(select(func.max(attempts.c.number)).where(mine)).scalar()
    number = 0 if newest is None else newest + 1
    now = time.time()
    tx.execute(
        attempts.insert().values(
            job_id=job_id,
            number=number,
            state="starting",
            resume=resume,
            created_at=now,
            engine_state={},
        )
    )
    current = jobs.update().where(jobs.c.id == job_id)
    tx.execute(current.values(current_attempt=number, updated_at=now))
    made = get(tx, job_id, number)
    assert made is not None
    return made


def get(tx: Tx, job_id: str, number: int) -> Attempt | None:
    """Return one attempt."""
    mine = (attempts.c.job_id == job_id, attempts.c.number == number)
    row = tx.execute(select(*_COLUMNS).where(*mine)).one_or_none()
    return None if row is None else struct(Attempt, row)


def of_job(tx: Tx, job_id: str) -> list[Attempt]:
    """Return all attempts of a job, first one first."""
    statement = select(*_COLUMNS).where(attempts.c.job_id == job_id).order_by(attempts.c.number)
    return [struct(Attempt, row) for row in tx.execute(statement)]


def seconds(tx: Tx, job_id: str) -> float:
    """Return how long the ended attempts of a job ran, all together."""
    ran = [one for one in of_job(tx, job_id) if one.started_at and one.ended_at]
    return sum(max(0.0, (one.ended_at or 0.0) - (one.started_at or 0.0)) for one in ran)


def change(
    tx: Tx,
    job_id: str,
    number: int,
    new: AttemptChange,
    *,
    expect: Collection[JobState] | None = None,
) -> bool:
    """Change an attempt if its state is one of ``expect``; say whether it was changed."""
    statement = attempts.update().where(attempts.c.job_id == job_id, attempts.c.number == number)
    if expect is not None:
        statement = statement.where(attempts.c.state.in_(list(expect)))
    values = changes(new)
    if not values:
        return get(tx, job_id, number) is not None
    return tx.execute(statement.values(**values)).rowcount == 1
