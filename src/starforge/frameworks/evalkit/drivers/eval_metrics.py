"""Metrics a pack may name beside lm-eval's own: StarForge's rewards, one score an item.

``exact``, ``numeric`` and ``math_equal`` compare what ``starforge.rewards`` takes for the final
answer, so that a benchmark scores as the reward of the same name does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lm_eval.api.registry import register_metric

from starforge.rewards.exact import exact
from starforge.rewards.math_equal import math_equal
from starforge.rewards.numeric import numeric

REWARDS: dict[str, Callable[..., list[float]]] = {
    "exact": exact, "numeric": numeric, "math_equal": math_equal,
}  # fmt: skip
_registered: set[str] = set()


def register_rewards() -> None:
    """Make lm-eval know them; doing it again changes nothing."""
    for name, reward in REWARDS.items():
        if name not in _registered:
            register_metric(metric=name, higher_is_better=True, aggregation="mean")(_one(reward))
            _registered.add(name)


def _one(reward: Callable[..., list[float]]) -> Callable[..., float]:
    def score(references: Sequence[Any], predictions: Sequence[str], **options: Any) -> float:
        return reward([str(predictions[0])], [references[0]], **options)[0]

    return score
