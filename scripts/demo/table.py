"""The demo's last page: what each step brought, and whether it is more than chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from starforge.lang import t


class Score:
    """What a stage scored, and how far that is from the stage before."""

    def __init__(self, row: Mapping[str, Any], before: Score | None = None) -> None:
        self.value: float = row["value"]
        self.stderr: float = row["stderr"] or 0.0
        self.items: int = row["items"]
        self.before = before

    def above(self, other: Score) -> tuple[float, float]:
        """Return the difference from another score and its standard error.

        As if the items were different ones: the cautious way, since pairing narrows it.
        """
        return self.value - other.value, math.hypot(self.stderr, other.stderr)

    def better_than(self, other: Score) -> bool:
        """Whether it is better by more than twice the standard error."""
        difference, stderr = self.above(other)
        return difference > 2 * stderr


def scores(board: Sequence[Mapping[str, Any]], jobs: Sequence[str]) -> list[Score]:
    """Return the scores of the jobs (ids) in their order, from a board of one metric.

    Only scores with equal settings stand side by side: the list is empty where not every job
    has one.
    """
    by_settings: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in board:
        kind = f"{row['metric']} {sorted(row['settings'].items(), key=str)}"
        by_settings.setdefault(kind, {}).setdefault(row["job"], row)
    for by_job in by_settings.values():
        if set(jobs) <= set(by_job):
            made: list[Score] = []
            for job in jobs:
                made.append(Score(by_job[job], made[-1] if made else None))
            return made
    return []


def print_table(found: Sequence[Score], names: Sequence[str], title: str) -> None:
    """Print one line a score."""
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column(t("model", "模型"))
    error = t("std. error", "标准误")
    for heading in (title, error, t("gain", "提升"), error):
        table.add_column(heading, justify="right")
    for name, score in zip(names, found, strict=True):
        gain = ["", ""]
        if score.before is not None:
            difference, stderr = score.above(score.before)
            gain = [f"{difference:+.3f}", f"{stderr:.3f}"]
        table.add_row(name, f"{score.value:.3f}", f"{score.stderr:.3f}", *gain)
    Console(width=100, soft_wrap=True).print(table)
