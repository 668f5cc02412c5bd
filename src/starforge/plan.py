"""The launch plan: the frozen, printable description of one job.

A plan names files symbolically so that it is the same wherever it is made. The runner's
launch step fills the placeholders of :data:`PLACEHOLDERS` when it starts an attempt.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

PLACEHOLDERS: dict[str, str] = {
    "JOB": "the job's folder",
    "RECORD": "the job's record folder: plan, config, lock, driver files",
    "CODE": "the experiment's own files as submitted",
    "DATA": "the job's input data, one file a split: train.jsonl, validation.jsonl",
    "OUTPUT": "checkpoints and exported models",
    "ATTEMPT": "the folder of this attempt: logs, metrics, samples",
    "MODEL": "the model folder (or hub id) the job starts from",
    "TEACHER": "the folder (or hub id) of the model to learn from",
    "REWARD": "the folder (or hub id) of the reward model",
    "PYTHON": "the interpreter of the recipe's runtime",
    "LIB": "a folder for PYTHONPATH with `starforge.report`",
}

StreamFormat = Literal["log", "tensorboard", "report", "samples", "scores", "alerts"]


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """Processes of one role: ``count`` copies of ``argv``."""

    role: str
    argv: list[str]
    env: dict[str, str] = {}
    cwd: str = "${ATTEMPT}"
    count: int = 1


class PlanFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file the job needs. ``path`` is relative to the job folder.

    ``content`` is there for generated files and drivers; the experiment's own files and
    data are named by digest and travel as bundle and inputs.
    """

    path: str
    source: Literal["driver", "generated", "experiment", "data"]
    sha256: str
    size: int
    content: str | None = None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A key of the resolved config that differs from upstream's default."""

    path: str
    value: Any
    default: Any
    source: str  # "pin", "recipe", "config.yaml", "experiment.yaml", "--set"
    parameter: str | None = None


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """Files the job writes and the runner ships: a glob relative to the attempt folder.

    ``names`` maps upstream metric names to canonical ones.
    """

    format: StreamFormat
    path: str
    names: dict[str, str] = {}


class CheckpointPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Where checkpoints and the final model will lie, relative to the job folder."""

    format: str
    pattern: str
    final: str | None = None
    resumable: bool = True


class RuntimePin(msgspec.Struct, frozen=True, kw_only=True):
    """The pinned environment: runtime name, device and the digest of its lock."""

    name: str
    device: Literal["cpu", "cuda"]
    lock_digest: str


class Resources(msgspec.Struct, frozen=True, kw_only=True):
    """What a job asks of an engine."""

    cpus: int = 1
    gpus: int = 0
    profile: str = "local"


class Policies(msgspec.Struct, frozen=True, kw_only=True):
    """When a running job is stopped or told of, and why. Times in seconds; ``None`` is never.

    ``budget`` is the time all attempts may take together. ``no_signal`` counts steps without
    anything to learn from; ``kl_explosion`` and ``length_explosion`` are factors over the
    early values (0: never). ``retries`` is how often a failure of the machine, never of the
    job itself, is followed by another attempt.
    """

    nan_loss: bool = True
    nan_metrics: list[str] = []
    time_limit: float | None = None
    stop_grace: float = 30.0
    disk_full: bool = True
    disk_reserve: float | None = None  # bytes; None: the smaller of 1 GiB and 2 % of the disk
    stalled: float | None = None
    budget: float | None = None
    no_signal: int = 50
    kl_explosion: float = 10.0
    length_explosion: float = 4.0
    retries: int = 0


class InputRef(msgspec.Struct, frozen=True, kw_only=True):
    """An input by content: ``name`` is ``model``, ``teacher``, ``reward``, ``data.train``, ...

    ``kind`` says what ``location`` means: a path on the server's machine, a hub id, a
    registered ``NAME@VERSION``, a ``job:ID``, a blob of the store (by sha256), or a name
    the runtime itself can make (``builtin``: ``starforge:tiny``). ``columns`` renames columns
    of a data file when it is put into the job's folder (as written -> as the job reads it).
    """

    name: str
    kind: Literal["path", "hub", "registry", "job", "blob", "builtin"]
    location: str
    digest: str | None = None
    file: str | None = None
    rows: int | None = None
    columns: dict[str, str] | msgspec.UnsetType = msgspec.UNSET


class FollowUp(msgspec.Struct, frozen=True, kw_only=True):
    """What is done once the job has succeeded: a job of its own on the model it leaves.

    ``export`` checks the exported folder in the framework's runtime: ``form`` says which of
    ``model`` and ``adapter`` is meant, ``scores`` that it is a reward model. ``benchmark``
    is an experiment of ``method`` with ``params``; ``data`` names its items (a file of the
    experiment or ``dataset:NAME@VERSION``), ``resources`` its profile.
    """

    kind: Literal["export", "benchmark"]
    method: str
    params: dict[str, Any] = {}
    data: str | None = None
    resources: str | None = None
    form: Literal["model", "adapter"] = "model"
    scores: bool = False


class LaunchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything needed to start a job, in one value that can be printed and kept."""

    method: str
    framework: str
    version: str
    recipe_digest: str
    contract_digest: str
    runtime: RuntimePin | None
    processes: list[Process]
    files: list[PlanFile]
    config: dict[str, Any]
    differs: list[Difference]
    checkpoints: CheckpointPlan | None
    metrics: list[Stream]
    inputs: list[InputRef]
    resources: Resources
    policies: Policies
    parameters: dict[str, Any] = {}
    primary_metrics: list[str] = []
    stages: list[str] = []
    total_steps: int | None = None
    then: list[FollowUp] | msgspec.UnsetType = msgspec.UNSET

    def digest(self) -> str:
        """Return the sha256 of the plan's canonical JSON."""
        return hashlib.sha256(msgspec.json.encode(self, order="sorted")).hexdigest()
