"""What happened, in order, for followers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starforge.i18n import Text
from starforge.server.store.database import Tx
from starforge.server.store.records import Event


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
    raise NotImplementedError


def after(
    tx: Tx, event_id: int = 0, *, job_id: str | None = None, limit: int = 1000
) -> list[Event]:
    """Return events with a greater id, oldest first."""
    raise NotImplementedError


def newest(tx: Tx) -> int:
    """Return the id of the newest event, 0 when there is none."""
    raise NotImplementedError
