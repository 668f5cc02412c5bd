"""Choosing a method: what data are, what fits them, and the flowchart as questions."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from starforge.wire.base import BothTexts, Request, Shape
from starforge.wire.experiments import DIGEST


class SuggestRequest(Request):
    """Data to look at: the ``digest`` of an uploaded file, or the ``text`` of one.

    ``file`` is its name, whose ending says how to read it (``.jsonl``, ``.json``, ``.csv``,
    ``.tsv``). ``cut`` says that the file goes on after ``text``: what stands after its last
    line break is not looked at. ``map`` renames columns (as written -> as read). ``gpus`` and
    ``gpu_memory`` (GB each) are those of the server's machine when not given.
    """

    digest: str | None = Field(default=None, pattern=DIGEST)
    text: str | None = None
    cut: bool = False
    file: str = Field(default="data.jsonl", max_length=255)
    map: dict[str, str] = {}
    teacher: str | None = Field(default=None, max_length=1000)
    gpus: int | None = Field(default=None, ge=0, le=100_000)
    gpu_memory: float | None = Field(default=None, ge=1)


class Suggestion(Shape):
    """A method that fits, why, and the command that begins with it."""

    method: str
    title: str
    reason: str
    command: str


class Suggested(Shape):
    """The published shape of ``sf suggest --json``.

    ``rows`` are three as a method sees them; ``map`` renames the file's ``columns`` to what
    methods read; ``notes`` say what stands in the way of using them as they are.
    """

    kind: str
    form: str
    why: list[str]
    rows: list[dict[str, Any]]
    notes: list[str]
    map: dict[str, str]
    file: str
    columns: list[str]
    recommendations: list[Suggestion]


class ChooseOutcome(Shape):
    """A method that an answer leads to; ``gpus`` is the least it needs."""

    method: str
    title: BothTexts
    reason: BothTexts
    gpus: int


class ChooseAnswer(Shape):
    """One way to go on: to the question ``next``, or to ``methods``, best first."""

    id: str
    label: BothTexts
    kind: str
    about: BothTexts | None = None
    next: str | None = None
    methods: list[ChooseOutcome] = []


class ChooseQuestion(Shape):
    """A question of the flowchart."""

    id: str
    text: BothTexts
    answers: list[ChooseAnswer]


class Flowchart(Shape):
    """The flowchart; it begins with the first question. The order is for ``gpus``."""

    gpus: int
    questions: list[ChooseQuestion]
