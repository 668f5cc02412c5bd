"""Two models on the items of one benchmark, item by item."""

from __future__ import annotations

from typing import Any, Literal

from starforge.wire.base import BothTexts, Shape


class ComparedSide(Shape):
    """One of the two: the job that measured it, and its mean over the items of both.

    ``seed`` is there where answers were sampled.
    """

    model: str
    job: str
    value: float
    seed: int | None = None


class ItemCounts(Shape):
    """Items that both got right, only one of the two, or neither."""

    both: int
    only_a: int
    only_b: int
    neither: int


class Answer(Shape):
    """What a model answered and what it got for it; ``extracted`` is what the filter left."""

    completion: str | None = None
    extracted: str | None = None
    score: float


Outcome = Literal["both", "only_a", "only_b", "neither"]
"""Who did better on an item; of equal scores, whether both are fully right."""
Shown = Literal["flipped", "all", "both", "only_a", "only_b", "neither"]
"""Which items are looked at; ``flipped`` are those that only one did better."""


class ItemAnswers(Shape):
    """An item as the two answered it."""

    item: str
    outcome: Outcome
    prompt: str | None = None
    reference: str | None = None
    a: Answer
    b: Answer


class ItemPage(Shape):
    """Some items of a comparison, in the order they were asked; ``total`` counts all of them."""

    items: list[ItemAnswers]
    total: int


class Comparison(Shape):
    """``b`` against ``a`` on one benchmark. ``difference`` is ``b`` minus ``a``.

    ``low`` and ``high`` bound its paired bootstrap interval (``level``, ``rounds``, ``seed``).
    ``counts`` and ``p_value`` (McNemar, exact, two-sided) are there where every item is right
    or wrong. ``missing_a`` counts the items of ``b`` that ``a`` lacks. ``differs`` names the
    settings that are not equal, each with both values; it is empty unless that was accepted.
    The seed of sampling is no setting, as on the board.
    """

    benchmark: str
    metric: str
    higher_is_better: bool = True
    a: ComparedSide
    b: ComparedSide
    items: int
    missing_a: int = 0
    missing_b: int = 0
    difference: float
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    level: float
    rounds: int
    seed: int
    counts: ItemCounts | None = None
    p_value: float | None = None
    differs: dict[str, list[Any]] = {}
    flipped: int = 0
    flips: list[ItemAnswers] = []


class NotCompared(Shape):
    """A benchmark of both that can't be compared, and why; ``code`` as of a refusal."""

    benchmark: str
    code: str
    message: BothTexts
    hint: BothTexts | None = None


class Compared(Shape):
    """All benchmarks that both have; ``left_out`` are those that only one of them has.

    ``refused`` are those of both that can't be compared, while others can.
    """

    comparisons: list[Comparison]
    left_out: list[str] = []
    refused: list[NotCompared] = []
