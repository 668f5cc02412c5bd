"""Experiments made from a form, and those of jobs, for programs that have no files of their own."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from starforge.wire.base import BothTexts, Request, Shape
from starforge.wire.server import Machine

Split = Literal["train", "validation", "test"]
DIGEST = r"^[0-9a-f]{64}$"


class DataChoice(Request):
    """The rows of one split: a registered ``reference`` (``dataset:NAME@VERSION``), or the
    ``digest`` of an uploaded ``file``.

    The ending of ``file`` says how to read it: ``.jsonl``, ``.json``, ``.csv``, ``.tsv``.
    Whatever is not JSON lines is converted.
    """

    reference: str | None = Field(default=None, max_length=1000)
    digest: str | None = Field(default=None, pattern=DIGEST)
    file: str = Field(default="data.jsonl", max_length=255)


class OwnFileContent(Request):
    """A file of the experiment: its ``text``, or the ``digest`` of its uploaded bytes.

    Without ``executable``, a file that is there stays as it is, and a new ``.sh`` is executable.
    """

    text: str | None = None
    digest: str | None = Field(default=None, pattern=DIGEST)
    executable: bool | None = None


class ExperimentValues(Shape):
    """What an experiment says, key by key.

    ``base`` is a job whose files it starts from; otherwise it starts from what ``sf new``
    makes of ``method``. ``model``, ``teacher`` and ``reward`` that are not given are those of
    the method's sample; an empty text is none. ``data`` that is not given is the method's
    sample; ``map`` renames columns (as written -> as read). ``config`` is the text of
    config.yaml. ``sets`` are as of ``--set``, beside the files.
    """

    name: str
    method: str
    base: str | None = None
    model: str | None = None
    teacher: str | None = None
    reward: str | None = None
    data: dict[Split, DataChoice] | None = None
    map: dict[str, str] = {}
    params: dict[str, Any] = {}
    config: str | None = None
    resources: str | None = None
    policies: dict[str, Any] = {}
    then: list[Any] = []
    description: str = ""
    tags: list[str] = []
    priority: int = 0
    sets: list[str] = []


class ExperimentForm(ExperimentValues):
    """An experiment to make.

    ``files`` are put beside those it starts from, or replace them, by name below its folder;
    ``null`` leaves one out. ``experiment.yaml`` among them is taken as it is, instead of what
    the other fields would write.
    """

    model_config = ConfigDict(extra="forbid")

    files: dict[str, OwnFileContent | None] = {}


class ExperimentFile(Shape):
    """A file of an experiment; ``text`` unless it is large or not text."""

    name: str
    size: int
    sha256: str
    executable: bool = False
    text: str | None = None


class PreparedInput(Shape):
    """An input to send along (``findings.Input``)."""

    name: str
    kind: Literal["path", "hub", "registry", "job", "blob", "builtin"]
    location: str
    digest: str | None = None
    file: str | None = None
    rows: int | None = None
    columns: dict[str, str] = {}


class ExperimentRequest(Shape):
    """What ``POST /validate``, ``/plan`` and ``/jobs`` take of an experiment."""

    bundle: str
    sets: list[str] = []
    profile: str | None = None
    inputs: list[PreparedInput] = []
    replace: dict[str, str] = {}


class ExperimentBundle(Shape):
    """An experiment that is uploaded already.

    ``request`` is the body for validating, planning and submitting it. ``values`` are what it
    says, to change and make anew. ``commands`` do the same in a shell, in the folder of a lab.
    """

    name: str
    method: str
    values: ExperimentValues
    request: ExperimentRequest
    files: list[ExperimentFile]
    commands: str


class Profile(Shape):
    """What a job can ask for as ``resources``.

    ``fits``: this machine has as much; ``free``: it is not taken at the moment.
    """

    name: str
    title: BothTexts
    cpus: int
    gpus: int
    fits: bool
    free: bool


class Profiles(Shape):
    """Resource profiles for a method on this machine, the smallest first."""

    profiles: list[Profile]
    machine: Machine
