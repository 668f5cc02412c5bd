"""Scores of models on benchmarks."""

from __future__ import annotations

from typing import Any

from starforge.wire.base import BothTexts, Shape, Time


class Score(Shape):
    """One result. Only scores with equal ``settings_digest`` may be compared."""

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
