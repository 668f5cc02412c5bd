"""Jobs: created once per idempotency key, changed by compare-and-set."""

from __future__ import annotations

from collections.abc import Collection

from starforge.server.store.database import Tx
from starforge.server.store.records import (
    Job,
    JobChange,
    JobFilter,
    JobSort,
    JobState,
    JobSummary,
    NewJob,
    Page,
)


def create(tx: Tx, new: NewJob) -> tuple[Job, bool]:
    """Keep a job; with a known idempotency key return that job and ``False``."""
    raise NotImplementedError


def get(tx: Tx, job_id: str) -> Job:
    """Return the job with exactly this id; StarForgeError ``job/not-found`` (404) otherwise."""
    raise NotImplementedError


def find(tx: Tx, ref: str) -> Job:
    """Return a job by id, unique prefix of an id, or name (the newest of that name)."""
    raise NotImplementedError


def summary(tx: Tx, job_id: str) -> JobSummary:
    """Return the listing form of a job."""
    raise NotImplementedError


def page(
    tx: Tx,
    which: JobFilter | None = None,
    *,
    sort: JobSort = "created_at",
    descending: bool = True,
    limit: int = 50,
    offset: int = 0,
) -> Page[JobSummary]:
    """List jobs."""
    raise NotImplementedError


def in_states(tx: Tx, states: Collection[JobState]) -> list[JobSummary]:
    """Return all jobs in the given states, highest priority first, then oldest first."""
    raise NotImplementedError


def change(
    tx: Tx, job_id: str, new: JobChange, *, expect: Collection[JobState] | None = None
) -> bool:
    """Change a job if its state is one of ``expect``; say whether it was changed."""
    raise NotImplementedError


def delete(tx: Tx, job_id: str) -> None:
    """Forget a job and everything that hangs on it (rows only, no files)."""
    raise NotImplementedError


def new_id(tx: Tx, now: float | None = None) -> str:
    """Return an unused id: 10 characters that sort by time."""
    raise NotImplementedError
