"""Scores of models on benchmarks."""

from __future__ import annotations

from typing import Any

from starforge.wire.base import BothTexts, Shape, Time


class Contamination(Shape):
    """How many of a benchmark's items stand in the training data of the scored model."""

    seen: int
    items: int


class BenchmarkContamination(Shape):
    """The same by benchmark; ``found`` is ``null`` where it can't be told: ``reason``."""

    benchmark: str
    job: str  # whose training data, or whose score, it is about
    found: Contamination | None = None
    reason: BothTexts | None = None


class Runs(Shape):
    """Several runs of one model that differ in nothing but the seed.

    ``deviation`` is the standard deviation of their values (n - 1); ``jobs`` and ``values``
    are theirs, newest first.
    """

    mean: float
    deviation: float
    values: list[float]
    jobs: list[str]


class Score(Shape):
    """One result. Only scores with equal ``settings`` may be compared, the seed left aside.

    ``contamination`` is ``null`` where the training data or the items are not known. On the
    board, ``runs`` is there when the model was measured more than once, other seeds included;
    all else is of the newest run. ``model_name`` is what the job is called that ``model`` names
    by its id, on the board only.
    """

    model: str
    model_name: str | None = None
    job: str | None
    benchmark: str
    metric: str
    value: float | None
    stderr: float | None = None
    items: int | None = None
    higher_is_better: bool = True
    settings: dict[str, Any] = {}
    settings_digest: str
    created_at: Time
    contamination: Contamination | None = None
    runs: Runs | None = None


class Benchmark(Shape):
    """A benchmark pack."""

    name: str
    version: str
    title: BothTexts
    description: BothTexts
    metric: str | None = None
    items: int | None = None
    source: str = "bundled"
    licence: str | None = None
