"""Attempts of jobs."""

from __future__ import annotations

from collections.abc import Collection

from starforge.server.store.database import Tx
from starforge.server.store.records import Attempt, AttemptChange, JobState


def create(tx: Tx, job_id: str, *, resume: bool) -> Attempt:
    """Add the next attempt (state ``starting``) and make it the job's current one."""
    raise NotImplementedError


def get(tx: Tx, job_id: str, number: int) -> Attempt | None:
    """Return one attempt."""
    raise NotImplementedError


def of_job(tx: Tx, job_id: str) -> list[Attempt]:
    """Return all attempts of a job, first one first."""
    raise NotImplementedError


def change(
    tx: Tx,
    job_id: str,
    number: int,
    new: AttemptChange,
    *,
    expect: Collection[JobState] | None = None,
) -> bool:
    """Change an attempt if its state is one of ``expect``; say whether it was changed."""
    raise NotImplementedError
