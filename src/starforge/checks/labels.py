"""Good and bad labels: both must occur, and neither may drown the other."""

from __future__ import annotations

from collections.abc import Iterator

from starforge.checks import rules_data as rules
from starforge.findings import Finding, Location
from starforge.lab.context import PrepareContext

LOPSIDED = 4.0  # times the one side outweighs the other, with the weights of the loss


class Labels:
    """Counts the labels of a split."""

    def __init__(self, context: PrepareContext) -> None:
        self._weights = [
            float(context.parameter(name, 1.0))
            for name in ("undesirable_weight", "desirable_weight")
        ]
        self._counts = [0, 0]

    def add(self, label: bool) -> None:
        """Count one row."""
        self._counts[label] += 1

    def findings(self, file: str) -> Iterator[Finding]:
        """Yield what is wrong with the labels taken together."""
        bad, good = self._counts
        at = Location(file=file, value={"true": good, "false": bad})
        if not bad or not good:
            if bad or good:
                yield rules.ONE_LABEL.at(at, file=file, label="true" if good else "false")
            return
        low, high = (weight * count for weight, count in zip(self._weights, (bad, good),
                                                              strict=True))  # fmt: skip
        ratio = max(low, high) / min(low, high) if min(low, high) > 0 else 0.0
        if ratio > LOPSIDED:
            # Equal sides: the rarer label weighs more by the ratio of the counts.
            name = "undesirable_weight" if low < high else "desirable_weight"
            weight = self._weights[low >= high] * ratio
            yield rules.LABEL_RATIO.at(
                at, file=file, good=good, bad=bad, parameter=name, weight=f"{weight:.2g}"
            )
