"""Pipelines: what is sent to start one, and what can be seen of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from starforge.wire.base import Request, Shape, Time
from starforge.wire.board import Score
from starforge.wire.findings import Finding
from starforge.wire.jobs import Job, SubmitRequest

PipelineState = Literal["running", "stopping", "succeeded", "failed", "stopped"]
StageState = Literal[
    "waiting", "running", "succeeded", "failed", "gate_failed", "skipped", "stopped"
]
ENDED: frozenset[str] = frozenset({"succeeded", "failed", "stopped"})


class StageRequest(Request):
    """A stage, by its name in pipeline.yaml, and the job that it is.

    Inputs that come from other stages are ``stage:NAME`` (of a file ``stage:NAME:PATH``) in
    ``job.replace``; ``job.plan_digest`` is that of the plan with these names.
    """

    name: str = Field(max_length=60)
    job: SubmitRequest


class PipelineRequest(Request):
    """A pipeline to run: its pipeline.yaml as ``text``, and one request for every stage.

    With ``fresh`` every stage runs, even when the same has run before. The same
    ``idempotency_key`` always answers the same pipeline.
    """

    name: str = Field(min_length=1, max_length=100)
    text: str = Field(max_length=1 << 20)
    file: str = Field(default="pipeline.yaml", max_length=1000)
    stages: list[StageRequest] = Field(max_length=100)
    fresh: bool = False
    lab: str | None = None
    owner: str | None = Field(default=None, max_length=100)
    idempotency_key: str | None = Field(default=None, max_length=200)


class Verdict(Shape):
    """Whether a gate was met: ``value`` had to reach ``bound``."""

    gate: str
    met: bool
    text: str
    value: float | None = None
    stderr: float | None = None
    bound: float | None = None


class Stage(Shape):
    """One stage. ``job`` is that of its last attempt (from 0), of an earlier run if ``reused``.

    ``gate_failed`` is a stage that ran but did not reach its gate; ``skipped`` one that waits
    for a stage that did not succeed. ``scores`` hold the primary one of every benchmark measured.
    """

    name: str
    kind: Literal["experiment", "benchmark"]
    what: str
    method: str
    state: StageState
    needs: list[str] = []
    gates: list[str] = []
    verdicts: list[Verdict] = []
    attempt: int = 0
    retries: int = 0
    reused: bool = False
    plan_digest: str
    message: str | None = None
    scores: list[Score] = []
    job: Job | None = None
    job_id: str | None = None
    started_at: Time | None = None
    ended_at: Time | None = None


class Pipeline(Shape):
    """A pipeline as lists show it; ``counts`` are its stages by state."""

    id: str
    name: str
    state: PipelineState
    message: str | None = None
    fresh: bool = False
    lab: str | None = None
    owner: str | None = None
    counts: dict[StageState, int] = {}
    created_at: Time
    ended_at: Time | None = None
    updated_at: Time | None = None


class PipelineDetail(Pipeline):
    """Everything about one pipeline; ``text`` is its pipeline.yaml.

    ``findings`` are warnings and notes of its checks, of a new one only.
    """

    text: str
    stages: list[Stage] = []
    findings: list[Finding] = []


class PipelinePage(Shape):
    """One page of pipelines, newest first; ``page`` counts from 1."""

    pipelines: list[Pipeline]
    total: int
    page: int
    size: int
