"""What happened, in order, for followers."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select

from starforge.i18n import Text
from starforge.server.store.database import Tx
from starforge.server.store.records import Event
from starforge.server.store.rows import struct
from starforge.server.store.tables import events

ALERT = "alert"
"""Kind of the events a person should look at."""
_COLUMNS = [events.c[name] for name in Event.__struct_fields__]


def add(
    tx: Tx,
    kind: str,
    *,
    job_id: str | None = None,
    text: Text | None = None,
    data: Mapping[str, Any] | None = None,
    time: float | None = None,
) -> int:
    """Record an event and return its id."""
    statement = events.insert().values(
        job_id=job_id,
        time=clock.time() if time is None else time,
        kind=kind,
        text=text,
        data=dict(data or {}),
    )
    key = tx.execute(statement).inserted_primary_key
    assert key is not None
    return int(key[0])


def add_alert(tx: Tx, job_id: str, attempt: int, row: Mapping[str, Any]) -> None:
    """Record an alert of a job's runner (a row of ``starforge.streams.alerts``)."""
    text = Text(row["message"], row["message_zh"])
    data = {"attempt": attempt, "code": row["code"], "step": row["s"]}
    add(tx, ALERT, job_id=job_id, text=text, data=data, time=row["t"])


def after(
    tx: Tx, event_id: int = 0, *, job_id: str | None = None, limit: int = 1000
) -> list[Event]:
    """Return events with a greater id, oldest first."""
    statement = select(*_COLUMNS).where(events.c.id > event_id)
    if job_id is not None:
        statement = statement.where(events.c.job_id == job_id)
    return [struct(Event, row) for row in tx.execute(statement.order_by(events.c.id).limit(limit))]


def alerts(tx: Tx, job_id: str, limit: int = 100) -> list[Event]:
    """Return the alerts of a job, oldest first."""
    mine = (events.c.job_id == job_id, events.c.kind == ALERT)
    statement = select(*_COLUMNS).where(*mine).order_by(events.c.id).limit(limit)
    return [struct(Event, row) for row in tx.execute(statement)]


def count(tx: Tx, job_id: str, kind: str) -> int:
    """Return how many events of a kind a job has."""
    mine = (events.c.job_id == job_id, events.c.kind == kind)
    return int(tx.execute(select(func.count()).where(*mine)).scalar() or 0)


def newest(tx: Tx) -> int:
    """Return the id of the newest event, 0 when there is none."""
    return tx.execute(select(func.max(events.c.id))).scalar() or 0
