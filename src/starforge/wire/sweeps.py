"""Sweeps: what is sent to start one, and what can be seen of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from starforge.wire.base import Request, Shape, Time
from starforge.wire.jobs import SubmitRequest

SweepState = Literal["running", "stopping", "succeeded", "failed", "stopped"]
TrialState = Literal["waiting", "running", "succeeded", "failed", "stopped"]
Goal = Literal["max", "min"]


class SweepRequest(Request):
    """Trials of one experiment.

    ``job`` is the submission of the experiment; each of ``trials`` adds values to its ``sets``,
    by the name of the parameter. ``probes`` are checked as trials are but never run (the ends
    of ranges). The same ``idempotency_key`` always answers the same sweep.
    """

    name: str = Field(min_length=1, max_length=100)
    job: SubmitRequest
    trials: list[dict[str, str]] = Field(min_length=1, max_length=500)
    probes: list[dict[str, str]] = Field(default=[], max_length=100)
    metric: str = Field(min_length=1, max_length=200)
    goal: Goal = "max"
    jobs: int = Field(default=1, ge=1, le=1000)
    idempotency_key: str | None = Field(default=None, max_length=200)


class Trial(Shape):
    """One trial; ``value`` is the last one of the metric, ``job_id`` the job of its last try."""

    number: int
    parameters: dict[str, str]
    state: TrialState
    attempt: int = 0
    job_id: str | None = None
    value: float | None = None
    message: str | None = None


class Sweep(Shape):
    """A sweep as lists show it; ``counts`` are its trials by state, ``best`` the best's number."""

    id: str
    name: str
    state: SweepState
    method: str
    metric: str
    goal: Goal
    jobs: int
    counts: dict[TrialState, int] = {}
    best: int | None = None
    created_at: Time
    ended_at: Time | None = None


class SweepDetail(Sweep):
    """Everything about one sweep."""

    trials: list[Trial] = []
