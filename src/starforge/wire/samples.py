"""Texts a job logged: prompts, completions, rewards."""

from __future__ import annotations

from starforge.wire.base import OpenShape, Shape


class Sample(OpenShape):
    """One logged row; further keys are the job's own.

    ``prompt`` and ``completion`` are ``null`` when the row has none or they are not texts.
    """

    attempt: int
    step: int | None = None
    reward: float | None = None
    prompt: str | None = None
    completion: str | None = None
    rewards: dict[str, float | None] | None = None  # the named parts of the reward
    group: int | str | None = None  # answers to one prompt share it
    length: int | None = None  # of the completion, in tokens
    truncated: bool | None = None  # the completion was cut at its limit


class SamplePage(Shape):
    """Rows that match, and the steps that have any."""

    samples: list[Sample]
    total: int
    steps: list[int] = []
