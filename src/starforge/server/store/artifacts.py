"""What jobs left behind."""

from __future__ import annotations

from starforge.server.store.database import Tx
from starforge.server.store.records import Artifact


def put(
    tx: Tx,
    job_id: str,
    *,
    attempt: int,
    kind: str,
    path: str,
    name: str,
    size: int,
    digest: str | None = None,
) -> None:
    """Record an artifact; the same path of a job is replaced."""
    raise NotImplementedError


def of_job(tx: Tx, job_id: str, *, kind: str | None = None) -> list[Artifact]:
    """Return a job's artifacts, oldest first."""
    raise NotImplementedError
