"""Sweeps: what is sent to start one, and what can be seen of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from starforge.wire.base import Request, Shape, Time
from starforge.wire.jobs import SubmitRequest

SweepState = Literal["running", "stopping", "succeeded", "failed", "stopped"]
TrialState = Literal["waiting", "running", "succeeded", "failed", "stopped", "pruned"]
Goal = Literal["max", "min"]


class Search(Request):
    """Have the server choose ``count`` trials, each from what those before it came to (TPE).

    ``space`` are lines such as ``learning_rate=1e-7..1e-5:log`` or ``loss_type=a,b``. The same
    ``seed`` and the same values of the metric give the same trials.
    """

    space: list[str] = Field(min_length=1, max_length=100)
    count: int = Field(ge=1, le=500)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)


class EarlyStop(Request):
    """End bad trials early, by successive halving on the metric's curve.

    A trial that comes to a rung goes on if it is among the best of every ``factor`` that have
    come there so far. Rungs lie at ``first`` steps and ``factor`` times as many each; without
    ``first`` two rungs lie before the last step, at a ninth and a third of them for 3.
    """

    factor: int = Field(default=3, ge=2, le=100)
    first: int | None = Field(default=None, ge=1, le=2**53)


class SweepRequest(Request):
    """Trials of one experiment: either ``trials`` or a ``search``.

    ``job`` is the submission of the experiment; each of ``trials`` adds values to its ``sets``,
    by the name of the parameter. ``probes`` are checked as trials are but never run (the ends
    of ranges). The same ``idempotency_key`` always answers the same sweep.
    """

    name: str = Field(min_length=1, max_length=100)
    job: SubmitRequest
    trials: list[dict[str, str]] = Field(default=[], max_length=500)
    probes: list[dict[str, str]] = Field(default=[], max_length=100)
    search: Search | None = None
    metric: str = Field(min_length=1, max_length=200)
    goal: Goal = "max"
    jobs: int = Field(default=1, ge=1, le=1000)
    early_stop: EarlyStop | None = None
    idempotency_key: str | None = Field(default=None, max_length=200)


class Trial(Shape):
    """One trial; ``value`` is the last one of the metric, ``job_id`` the job of its last try.

    A trial that was ended early is ``pruned``, at the step ``pruned_at``.
    """

    number: int
    parameters: dict[str, str]
    state: TrialState
    attempt: int = 0
    job_id: str | None = None
    value: float | None = None
    message: str | None = None
    pruned_at: int | None = None


class Sweep(Shape):
    """A sweep as lists show it; ``counts`` are its trials by state.

    ``best`` is the number of the best trial, ``best_value`` what the metric came to in it.

    ``planned`` is how many trials it is to have; a search makes them one after the other.
    """

    id: str
    name: str
    state: SweepState
    method: str
    metric: str
    goal: Goal
    jobs: int
    planned: int
    early_stop: EarlyStop | None = None
    counts: dict[TrialState, int] = {}
    best: int | None = None
    best_value: float | None = None
    created_at: Time
    ended_at: Time | None = None


class SweepDetail(Sweep):
    """Everything about one sweep."""

    trials: list[Trial] = []
