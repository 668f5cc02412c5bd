"""Join several rewards into one with named parts."""

from __future__ import annotations

from collections.abc import Sequence


class Parts(dict[str, float]):
    """The named parts of one completion's reward, with the weights they are added up by."""

    def __init__(self, parts: dict[str, float], weights: dict[str, float]) -> None:
        super().__init__(parts)
        self.weights = weights


def weighted(
    **parts: Sequence[float] | tuple[Sequence[float], float],
) -> list[Parts]:
    """Join lists of rewards: ``weighted(correct=(rewards, 1.0), format=(others, 0.1))``.

    The reward of a completion is the sum of its parts, each times its weight (1 where only a
    list is given); the parts are logged without their weights. Raises ``ValueError`` when the
    lists are not equally long.
    """
    if not parts:
        raise ValueError("weighted() needs at least one part: weighted(correct=(rewards, 1.0))")
    lists: dict[str, list[float]] = {}
    weights: dict[str, float] = {}
    for name, given in parts.items():
        values, weight = _split(given)
        lists[name] = [float(value) for value in values]
        weights[name] = weight
    sizes = {name: len(values) for name, values in lists.items()}
    if len(set(sizes.values())) != 1:
        raise ValueError(f"the parts have rewards for different numbers of completions: {sizes}")
    count = next(iter(sizes.values()))
    return [
        Parts({name: values[row] for name, values in lists.items()}, weights)
        for row in range(count)
    ]


def _split(
    given: Sequence[float] | tuple[Sequence[float], float],
) -> tuple[Sequence[float], float]:
    if isinstance(given, tuple) and len(given) == 2 and _is_list(given[0]):
        values, weight = given
        return values, float(weight)  # type: ignore[return-value]
    return given, 1.0  # type: ignore[return-value]


def _is_list(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)
