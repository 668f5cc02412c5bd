"""Sample rows (prompts and completions) by step, reward and text."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from starforge.server.store.database import Tx
from starforge.server.store.records import Page
from starforge.server.store.segments import StreamFiles


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One row as the job wrote it (``data``), with what the index knows of it."""

    attempt: int
    path: str
    step: int | None
    reward: float | None
    data: dict[str, Any]


def page(
    tx: Tx,
    files: StreamFiles,
    job_id: str,
    *,
    step: int | None = None,
    attempt: int | None = None,
    search: str | None = None,
    sort: Literal["step", "reward", "-step", "-reward"] = "-step",
    limit: int = 50,
    offset: int = 0,
) -> Page[Sample]:
    """List samples; ``search`` looks into prompt, completion and reference."""
    raise NotImplementedError


def steps(tx: Tx, job_id: str) -> list[int]:
    """Return the steps that have samples, ascending."""
    raise NotImplementedError
