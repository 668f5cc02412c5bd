"""Two models on the same items: is the difference more than chance?

- Right and wrong: the exact test of Q. McNemar, "Note on the sampling error of the difference
  between correlated proportions or percentages", Psychometrika 12 (1947). Of the items that
  only one of the two got right, either half is as likely when the models are equal, so the
  p-value is that of a fair coin.
- Any score: the percentile bootstrap of the paired differences (B. Efron and R. Tibshirani,
  "An Introduction to the Bootstrap", 1993, ch. 13). Whole items are drawn again, so what
  makes an item hard for both models does not widen the interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

ROUNDS = 10_000
LEVEL = 0.95
_AT_ONCE = 4_000_000  # counts held in memory at a time


class Counts(msgspec.Struct, frozen=True):
    """How many items both got right, only one of the two, or neither."""

    both: int
    only_a: int
    only_b: int
    neither: int


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """What can be said of ``b`` against ``a``; ``difference`` is mean(b) - mean(a).

    ``counts`` and ``p_value`` are there for scores of 0 and 1 only. ``stderr``, ``low`` and
    ``high`` need two items.
    """

    items: int
    mean_a: float
    mean_b: float
    difference: float
    stderr: float | None
    low: float | None
    high: float | None
    counts: Counts | None
    p_value: float | None


def compare(
    a: Sequence[float],
    b: Sequence[float],
    *,
    seed: int,
    rounds: int = ROUNDS,
    level: float = LEVEL,
    higher_is_better: bool = True,
) -> Paired:
    """Compare the scores of two models, item by item in the same order.

    Raises :class:`ValueError` for no items, different lengths or scores that are no numbers.
    """
    if len(a) != len(b) or not a:
        raise ValueError("two series of equal length with at least one item are needed")
    if not all(math.isfinite(value) for value in (*a, *b)):
        raise ValueError("every score must be a number")
    differences = [after - before for before, after in zip(a, b, strict=True)]
    interval = bootstrap(differences, seed=seed, rounds=rounds, level=level)
    counted = counts(a, b, right=1.0 if higher_is_better else 0.0)
    mean_a, mean_b = math.fsum(a) / len(a), math.fsum(b) / len(b)
    return Paired(
        items=len(a),
        mean_a=mean_a,
        mean_b=mean_b,
        difference=math.fsum(differences) / len(a),
        stderr=_stderr(differences),
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        counts=counted,
        p_value=None if counted is None else mcnemar(counted.only_a, counted.only_b),
    )


def counts(a: Sequence[float], b: Sequence[float], *, right: float = 1.0) -> Counts | None:
    """Count right and wrong items; ``None`` when a score is neither 0 nor 1."""
    if any(value not in (0.0, 1.0) for value in (*a, *b)):
        return None
    pairs = [(before == right, after == right) for before, after in zip(a, b, strict=True)]
    return Counts(
        both=pairs.count((True, True)),
        only_a=pairs.count((True, False)),
        only_b=pairs.count((False, True)),
        neither=pairs.count((False, False)),
    )


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p-value of McNemar's test.

    It is twice the probability of at most ``min`` heads in ``only_a + only_b`` throws of a
    fair coin, at most 1.
    """
    throws, fewer = only_a + only_b, min(only_a, only_b)
    ways, term = 0, 1
    for heads in range(fewer + 1):
        ways += term
        term = term * (throws - heads) // (heads + 1)
    return min(1.0, float(2 * ways / (1 << throws)))


def bootstrap(
    differences: Sequence[float], *, seed: int, rounds: int = ROUNDS, level: float = LEVEL
) -> tuple[float, float] | None:
    """Return the interval of the mean difference; ``None`` for a single item.

    Drawing ``n`` items of ``n`` with replacement is drawing how often each distinct
    difference comes, from a multinomial distribution.
    """
    if len(differences) < 2:
        return None
    import numpy

    values, often = numpy.unique(numpy.asarray(differences, dtype=float), return_counts=True)
    rng = numpy.random.default_rng(seed)
    step = max(1, _AT_ONCE // len(values))
    means = [
        rng.multinomial(len(differences), often / len(differences), size=size) @ values
        for size in (min(step, rounds - done) for done in range(0, rounds, step))
    ]
    tail = (1 - level) / 2
    low, high = numpy.quantile(numpy.concatenate(means) / len(differences), [tail, 1 - tail])
    return float(low), float(high)


def _stderr(differences: Sequence[float]) -> float | None:
    count = len(differences)
    if count < 2:
        return None
    mean = math.fsum(differences) / count
    return math.sqrt(math.fsum((one - mean) ** 2 for one in differences) / (count - 1) / count)
