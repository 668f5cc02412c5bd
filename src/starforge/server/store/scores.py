"""Scores of benchmarks, and the board that compares what may be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starforge.server.store.database import Tx
from starforge.server.store.records import BoardColumn, NewScore, Score


def settings_digest(settings: Mapping[str, Any]) -> str:
    """Return the sha256 of the settings' canonical JSON."""
    raise NotImplementedError


def add(tx: Tx, job_id: str, attempt: int, rows: Sequence[NewScore]) -> None:
    """Keep scores (ingest does this for ``scores`` streams)."""
    raise NotImplementedError


def label(tx: Tx, job_id: str, *, model: str, model_digest: str | None) -> None:
    """Say which model the scores of a job are about."""
    raise NotImplementedError


def of_job(tx: Tx, job_id: str) -> list[Score]:
    """Return a job's scores, oldest first."""
    raise NotImplementedError


def board(tx: Tx, *, benchmark: str | None = None, model: str | None = None) -> list[BoardColumn]:
    """Return columns of comparable scores, by benchmark, metric and settings."""
    raise NotImplementedError
