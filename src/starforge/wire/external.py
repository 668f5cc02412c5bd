"""Scores that others measured, with where they come from."""

from __future__ import annotations

from typing import Any

from pydantic import Field, FiniteFloat

from starforge.wire.base import Request, Shape, Time


class ExternalScoreCreate(Request):
    """A score of another source. ``source`` is a URL or a paper, ``date`` its date."""

    model: str = Field(min_length=1, max_length=500)
    benchmark: str = Field(min_length=1, max_length=500)
    metric: str = Field(min_length=1, max_length=500)
    value: FiniteFloat
    stderr: FiniteFloat | None = Field(default=None, ge=0)
    items: int | None = Field(default=None, ge=1, lt=2**53)
    higher_is_better: bool = True
    source: str = Field(min_length=1, max_length=500)
    date: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")
    settings: dict[str, Any] = {}


class ExternalScores(Request):
    """Scores to keep; those that are there already are left as they are."""

    scores: list[ExternalScoreCreate] = Field(min_length=1, max_length=5_000)


class ExternalScore(Shape):
    """A kept one; it never stands among own results."""

    id: int
    model: str
    benchmark: str
    metric: str
    value: float
    stderr: float | None = None
    items: int | None = None
    higher_is_better: bool = True
    source: str
    date: str | None = None
    settings: dict[str, Any] = {}
    added_at: Time


class ExternalAdded(Shape):
    """How many were new, and how many were there already."""

    added: int
    known: int
