"""The policy that ends a running job whose loss is no number any more."""

from __future__ import annotations

import math
from dataclasses import dataclass

from starforge.runner.feed import MetricFeed, whole_lines
from starforge.runner.launch import PolicySpec
from starforge.runner.tail import StreamFile, Tail
from starforge.streams import ScalarBatch

# A report without any of these has finite numbers only (but for numerals of 300 digits, which
# nobody writes), and finding that out is a hundred times faster than decoding it.
_ODD = (b"NaN", b"Infinity", b"e+", b"E")


@dataclass(frozen=True)
class NotFinite:
    """A watched metric that stopped being a finite number."""

    name: str
    value: float
    step: int


class NanWatch:
    """Reads the metric files as they grow and looks for NaN and infinity.

    A metric is watched when its native or canonical name is in ``nan_metrics``; with that
    list empty, when the last part of its name is ``loss``.
    """

    def __init__(self, tail: Tail, policy: PolicySpec) -> None:
        self._feed = MetricFeed(tail, _plain)
        self._enabled = policy.nan_loss
        self._watched = frozenset(policy.nan_metrics)

    def look(self, *, to_the_end: bool = False) -> NotFinite | None:
        """Read what is new and return the first find."""
        if not self._enabled:
            return None
        for file, series in self._feed.new(to_the_end=to_the_end):
            found = self._search(series, file)
            if found is not None:
                return found
        return None

    def _search(self, series: ScalarBatch, file: StreamFile) -> NotFinite | None:
        for name, columns in series.items():
            if self._is_watched(name, file):
                for step, value in zip(columns.steps, columns.values, strict=True):
                    if not math.isfinite(value):
                        return NotFinite(name, value, step)
        return None

    def _is_watched(self, name: str, file: StreamFile) -> bool:
        if self._watched:
            return name in self._watched or file.names.get(name) in self._watched
        return name.rsplit("/", 1)[-1] == "loss"


def _plain(_file: StreamFile, data: bytes, final: bool) -> int:
    """Return the bytes of whole lines of a report if they hold finite numbers only, else 0."""
    return 0 if any(word in data for word in _ODD) else whole_lines(data, final)
