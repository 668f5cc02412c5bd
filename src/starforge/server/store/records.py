"""The rows of the store as frozen structs. Times are Unix seconds (float)."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from starforge.i18n import Text
from starforge.plan import LaunchPlan, StreamFormat

JobState = Literal[
    "queued", "starting", "running", "stopping", "unreachable", "succeeded", "failed", "stopped"
]
Desired = Literal["run", "stop"]
FollowUps = Literal["due", "made"]

ENDED: frozenset[JobState] = frozenset({"succeeded", "failed", "stopped"})
ACTIVE: frozenset[JobState] = frozenset({"starting", "running", "stopping", "unreachable"})

Row = TypeVar("Row")


class Page(msgspec.Struct, Generic[Row], frozen=True):
    """Some rows of a listing, and how many there are in all."""

    total: int
    rows: list[Row]


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where the experiment came from: the lab's git state at submission."""

    commit: str | None = None
    branch: str | None = None
    dirty: bool = False
    diff_blob: str | None = None
    extra: dict[str, Any] = {}


class NewJob(msgspec.Struct, frozen=True, kw_only=True):
    """What a submission says. ``bundle`` is the sha256 of the experiment's bundle;
    ``follow_ups`` is ``due`` when jobs are to be made once this one has succeeded.
    """

    name: str
    plan: LaunchPlan
    plan_digest: str
    experiment: dict[str, Any]
    bundle: str | None
    token_hash: str
    engine: str = "local"
    priority: int = 0
    owner: str | None = None
    tags: list[str] = []
    description: str | None = None
    lab: str | None = None
    source: Source | None = None
    idempotency_key: str | None = None
    parent: str | None = None
    follow_ups: FollowUps | None = None
    pipeline: str | None = None
    desired: Desired = "run"
    state: JobState = "queued"


class JobSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A job as listings need it: no plan, no experiment.

    ``headline`` holds the last values of the method's primary metrics; ``parent`` is the job
    whose ``then`` this one is a step of, or whose model a stage of ``pipeline`` starts from.
    """

    id: str
    name: str
    method: str
    state: JobState
    desired: Desired
    reason: str | None
    message: Text | None
    priority: int
    engine: str
    profile: str
    cpus: int
    gpus: int
    owner: str | None
    lab: str | None
    tags: list[str]
    description: str | None
    created_at: float
    started_at: float | None
    ended_at: float | None
    updated_at: float
    current_attempt: int | None
    progress_step: int | None
    progress_total: int | None
    headline: dict[str, float | None]
    parent: str | None = None
    follow_ups: FollowUps | None = None
    pipeline: str | None = None


class Job(JobSummary, frozen=True, kw_only=True):
    """A job with everything recorded at submission."""

    plan: LaunchPlan
    plan_digest: str
    experiment: dict[str, Any]
    bundle: str | None
    source: Source | None
    idempotency_key: str | None
    token_hash: str


class JobChange(msgspec.Struct, frozen=True, kw_only=True):
    """New values for a job; what is left out stays as it is."""

    name: str | UnsetType = UNSET
    state: JobState | UnsetType = UNSET
    desired: Desired | UnsetType = UNSET
    reason: str | UnsetType | None = UNSET
    message: Text | UnsetType | None = UNSET
    priority: int | UnsetType = UNSET
    started_at: float | UnsetType | None = UNSET
    ended_at: float | UnsetType | None = UNSET
    current_attempt: int | UnsetType | None = UNSET
    progress_step: int | UnsetType | None = UNSET
    progress_total: int | UnsetType | None = UNSET
    headline: dict[str, float | None] | UnsetType = UNSET
    follow_ups: FollowUps | UnsetType | None = UNSET
    tags: list[str] | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    token_hash: str | UnsetType = UNSET


class JobFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which jobs a listing shows; empty parts do not filter. ``search`` looks into id,
    name, method, description and tags, without regard to case. ``model`` is the reference as
    the experiment names it.
    """

    states: list[str] = []
    methods: list[str] = []
    model: str | None = None
    owner: str | None = None
    lab: str | None = None
    tag: str | None = None
    engine: str | None = None
    pipeline: str | None = None
    search: str | None = None
    created_after: float | None = None
    created_before: float | None = None


JobSort = Literal[
    "created_at", "started_at", "ended_at", "updated_at", "name", "method", "state", "priority"
]


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One try of a job; ``number`` counts from 0."""

    job_id: str
    number: int
    state: JobState
    reason: str | None
    message: Text | None
    exit_code: int | None
    resume: bool
    created_at: float
    started_at: float | None
    ended_at: float | None
    heartbeat_at: float | None
    engine_state: dict[str, Any]


class AttemptChange(msgspec.Struct, frozen=True, kw_only=True):
    """New values for an attempt; what is left out stays as it is."""

    state: JobState | UnsetType = UNSET
    reason: str | UnsetType | None = UNSET
    message: Text | UnsetType | None = UNSET
    exit_code: int | UnsetType | None = UNSET
    started_at: float | UnsetType | None = UNSET
    ended_at: float | UnsetType | None = UNSET
    heartbeat_at: float | UnsetType | None = UNSET
    engine_state: dict[str, Any] | UnsetType = UNSET


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened; ``id`` grows, so followers ask for what came after one."""

    id: int
    job_id: str | None
    time: float
    kind: str
    text: Text | None
    data: dict[str, Any]


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder a job left; ``path`` is relative to the job's folder. ``meta`` is what
    is known of it beyond its bytes: of a model, how its export was checked.
    """

    id: int
    job_id: str
    attempt: int
    kind: str
    path: str
    name: str
    size: int
    digest: str | None
    created_at: float
    meta: dict[str, Any] | None = None


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """A registered data file: ``NAME@VERSION``; ``digest`` is the sha256 of its blob."""

    name: str
    version: int
    digest: str
    rows: int
    bytes: int
    columns: list[str]
    filename: str
    description: str | None
    created_at: float


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """A registered model: ``NAME@VERSION``; ``kind`` says what ``location`` means."""

    name: str
    version: int
    kind: Literal["path", "hub", "job", "blob"]
    location: str
    digest: str
    bytes: int
    architecture: str | None
    job_id: str | None
    description: str | None
    created_at: float


class NewScore(msgspec.Struct, frozen=True, kw_only=True):
    """A result of a benchmark; ``value`` is NaN when the harness could give none."""

    benchmark: str
    metric: str
    value: float
    stderr: float | None
    items: int | None
    higher_is_better: bool
    settings: dict[str, Any]
    created_at: float
    model: str = ""
    model_digest: str | None = None


class Score(NewScore, frozen=True, kw_only=True):
    """A kept result, with the job it came from and the digest of its settings.

    ``seen`` of ``seen_of`` items stand in the model's training data; ``None``: not known.
    """

    id: int
    job_id: str
    attempt: int
    settings_digest: str
    seen: int | None = None
    seen_of: int | None = None


class StreamRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stream as far as it was taken. ``lines`` counts newlines (log and samples)."""

    id: int
    job_id: str
    attempt: int
    path: str
    format: StreamFormat
    offset: int
    lines: int
    notes: list[dict[str, Any]]
    updated_at: float


class StreamNote(msgspec.Struct, frozen=True, kw_only=True):
    """What could not be used of a stream, or not as it came; ``offset`` is of the first."""

    attempt: int
    path: str
    kind: str
    text: Text
    offset: int
    count: int


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a metric without opening its chunks. ``minimum`` and ``maximum``
    are over finite values; ``last_value`` may be NaN.
    """

    name: str
    native: str
    count: int
    last_step: int | None
    last_value: float | None
    last_time: float | None
    minimum: float | None
    maximum: float | None
