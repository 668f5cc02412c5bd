"""What jobs left behind."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import select

from starforge.server.store.database import Tx
from starforge.server.store.records import Artifact
from starforge.server.store.rows import clean, struct, upsert
from starforge.server.store.tables import artifacts

_COLUMNS = [artifacts.c[name] for name in Artifact.__struct_fields__]


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
    meta: dict[str, Any] | None = None,
) -> None:
    """Record an artifact; the same path of a job is replaced."""
    row = {
        "job_id": job_id,
        "attempt": attempt,
        "kind": clean(kind),
        "path": clean(path),
        "name": clean(name),
        "size": size,
        "digest": digest,
        "created_at": time.time(),
        "meta": meta,
    }
    upsert(tx, artifacts, ("job_id", "path"), [row])


def set_meta(tx: Tx, job_id: str, path: str, meta: dict[str, Any]) -> None:
    """Keep what became known of an artifact later."""
    which = (artifacts.c.job_id == job_id, artifacts.c.path == path)
    tx.execute(artifacts.update().where(*which).values(meta=meta))


def of_job(tx: Tx, job_id: str, *, kind: str | None = None) -> list[Artifact]:
    """Return a job's artifacts, oldest first."""
    statement = select(*_COLUMNS).where(artifacts.c.job_id == job_id)
    if kind is not None:
        statement = statement.where(artifacts.c.kind == kind)
    order = (artifacts.c.created_at, artifacts.c.id)
    return [struct(Artifact, row) for row in tx.execute(statement.order_by(*order))]
