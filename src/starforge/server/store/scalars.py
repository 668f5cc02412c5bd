"""Append metric points to chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starforge.server.store.database import Tx
from starforge.server.store.records import Series

# steps, wall times (Unix seconds), values; equally long
Columns = tuple[Sequence[int], Sequence[float], Sequence[float]]


def append(
    tx: Tx,
    job_id: str,
    attempt: int,
    points: Mapping[str, Columns],
    native: Mapping[str, str] | None = None,
) -> None:
    """Append points by canonical name; ``native`` names the upstream metric of each."""
    raise NotImplementedError


def series(tx: Tx, job_id: str) -> list[Series]:
    """Return a job's metrics by name, without opening chunks."""
    raise NotImplementedError
