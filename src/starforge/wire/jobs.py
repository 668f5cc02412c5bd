"""Jobs: what is submitted, and what can be asked of them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from starforge.wire.base import Request, Shape, Time
from starforge.wire.findings import Finding, PrepareRequest

JobState = Literal[
    "queued", "starting", "running", "stopping", "succeeded", "failed", "stopped", "unreachable"
]
TERMINAL: frozenset[str] = frozenset({"succeeded", "failed", "stopped"})


class Progress(Shape):
    """How far a job is, in its own steps."""

    step: int | None = None
    total: int | None = None
    eta_seconds: float | None = None


class Attempt(Shape):
    """One run of a job. ``resume`` says it went on from the last checkpoint."""

    number: int
    state: JobState
    reason: str | None = None
    message: str | None = None
    exit_code: int | None = None
    resume: bool = False
    created_at: Time
    started_at: Time | None = None
    ended_at: Time | None = None
    heartbeat_at: Time | None = None


class Output(Shape):
    """Something a job left. ``path`` is relative to the job's folder; ``ref`` names a model.

    ``meta`` of a model that was checked (``then: [export]``) holds ``check``: ``{job,
    architecture, dtype, parameters, tokens?, text?, score?}``.
    """

    kind: str
    name: str
    path: str
    size: int | None = None
    digest: str | None = None
    ref: str | None = None
    meta: dict[str, Any] | None = None
    created_at: Time | None = None


class Alert(Shape):
    """What a person should look at: ``no_signal``, ``kl_explosion``, ``length_explosion``."""

    attempt: int
    step: int
    code: str
    text: str
    time: Time


class StreamNote(Shape):
    """What could not be used of a stream the job wrote, or not as it came.

    ``kind`` is stable: ``damaged``, ``too_long``, ``invalid``, ``dropped``, ``renamed``,
    ``names`` (more metrics than are kept), ``steps`` (they go back), ``shorter`` (the file
    was replaced or cut), ``cut_off`` (it ends within a record).
    """

    attempt: int
    path: str
    kind: str
    text: str
    offset: int
    count: int


class Job(Shape):
    """A job as lists show it.

    ``reason`` is a stable code (``waiting_for_slot``, ``completed``, ``exit_code``,
    ``waiting_for_room``, ``signal``, ``nan_loss``, ``time_limit``, ``disk_full``, ``stalled``,
    ``stopped_by_user``, ``pruned``, ``launch_failed``, ``runner_lost``, ``restored``); ``message``
    says it in words. ``headline`` holds the last values of the method's primary metrics.
    ``parent`` is the id of the job whose ``then`` this job is a step of. ``pipeline`` is the id of
    the pipeline that made it for a stage; its ``parent`` then is the job whose model it starts
    from.

    ``model`` and ``data`` are references as the experiment names them; ``owner`` is the account
    that submitted it. Lists also hold ``sparkline``: the first primary metric in at most 32
    values from first to last step.
    """

    id: str
    name: str
    method: str
    state: JobState
    desired: Literal["run", "stop"] = "run"
    reason: str | None = None
    message: str | None = None
    description: str | None = None
    tags: list[str] = []
    priority: int = 0
    profile: str | None = None
    engine: str = "local"
    cpus: int = 1
    gpus: int = 0
    lab: str | None = None
    owner: str | None = None
    model: str | None = None
    data: str | None = None
    parent: str | None = None
    pipeline: str | None = None
    attempt: int = 0
    progress: Progress | None = None
    headline: dict[str, float | None] = {}
    sparkline: list[float | None] | None = None
    created_at: Time
    started_at: Time | None = None
    ended_at: Time | None = None
    updated_at: Time | None = None


class JobDetail(Job):
    """Everything about one job but its streams.

    ``then`` are the steps that follow its success (``plan.FollowUp``), ``children`` the jobs
    that were made of them so far; ``follow_ups`` is ``due`` until all of them are. ``stage``
    is the stage of ``pipeline``. ``sweep`` is the id of the sweep whose ``trial`` it is.
    """

    attempts: list[Attempt] = []
    outputs: list[Output] = []
    inputs: list[dict[str, Any]] = []
    parameters: dict[str, Any] = {}
    primary_metrics: list[str] = []
    stages: list[str] = []
    findings: list[Finding] = []
    plan_digest: str | None = None
    bundle: str | None = None
    source: dict[str, Any] | None = None
    resumable: bool = False
    folder: str | None = None
    notes: list[StreamNote] = []
    alerts: list[Alert] = []
    then: list[dict[str, Any]] = []
    children: list[Job] = []
    follow_ups: Literal["due", "made"] | None = None
    stage: str | None = None
    sweep: str | None = None
    trial: int | None = None
    rerun_of: str | None = None
    cloned_from: str | None = None


class JobPage(Shape):
    """One page of jobs, newest first unless sorted otherwise; ``page`` counts from 1."""

    jobs: list[Job]
    total: int
    page: int
    size: int


class SubmitRequest(PrepareRequest):
    """A job to run.

    ``plan_digest`` is the digest of the plan the client printed; the server prepares again
    and refuses (409) when its own differs; ``recipe_digest`` is that of the recipe of
    ``method`` the client prepared with. The same ``idempotency_key`` always answers the
    same job. A ``name`` is one line of at most 200 characters without slash and control
    characters. ``owner`` is the account of the person who submits; without one, the account
    that runs the server. ``rerun_of`` names the job whose record this is,
    ``cloned_from`` the one whose experiment this was made from.
    """

    name: str | None = None
    priority: int | None = Field(default=None, ge=-1000, le=1000)
    plan_digest: str | None = None
    method: str | None = None
    recipe_digest: str | None = None
    idempotency_key: str | None = Field(default=None, max_length=200)
    source: dict[str, Any] | None = None
    lab: str | None = None
    owner: str | None = Field(default=None, max_length=100)
    rerun_of: str | None = Field(default=None, max_length=100)
    cloned_from: str | None = Field(default=None, max_length=100)


class StopRequest(Request):
    """``force`` skips the grace period."""

    force: bool = False


class ImportRequest(Request):
    """Bring in a folder of ``starforge.report`` (or a job's attempt folder) on this machine."""

    path: str
    name: str | None = None


class Record(Shape):
    """What is needed to run a job again: files of ``record/`` by relative path."""

    files: dict[str, str]
    truncated: list[str] = []


class Event(Shape):
    """Something that happened to a job; ``text`` in the language of the request."""

    id: int
    job: str | None = None
    time: Time
    kind: str
    text: str | None = None
    data: dict[str, Any] = {}
