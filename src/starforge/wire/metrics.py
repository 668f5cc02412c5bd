"""Curves of scalars."""

from __future__ import annotations

from typing import Literal

from starforge.wire.base import Shape


class Curve(Shape):
    """Points of one metric, by step. Lists have equal lengths.

    JSON knows no NaN and no Infinity: such values are ``null`` in ``value`` and named in
    ``nonfinite`` as ``{index: "nan" | "inf" | "-inf"}``. With ``buckets`` each point stands
    for ``count`` original ones between ``min`` and ``max``. ``time`` is Unix seconds.
    """

    step: list[int]
    value: list[float | None]
    attempt: list[int]
    time: list[float] = []
    min: list[float | None] | None = None
    max: list[float | None] | None = None
    count: list[int] | None = None
    nonfinite: dict[int, Literal["nan", "inf", "-inf"]] | None = None


class Series(Shape):
    """What is known of a metric without its points."""

    name: str
    native: str | None = None
    count: int = 0
    last_step: int | None = None
    last_value: float | None = None
    min: float | None = None
    max: float | None = None
    goal: Literal["lower", "higher", "watch"] = "watch"
    primary: bool = False
    description: str | None = None
