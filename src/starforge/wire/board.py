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


class Score(Shape):
    """One result. Only scores with equal ``settings_digest`` may be compared.

    ``contamination`` is ``null`` where the training data or the items are not known.
    """

    model: str
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
