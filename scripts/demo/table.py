"""The demo's last page: is the tuned model better, and by more than chance?"""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console
from rich.table import Table

from starforge.lang import t


class Comparison:
    """Two scores of one benchmark under equal settings."""

    def __init__(self, base: dict[str, Any], tuned: dict[str, Any]) -> None:
        self.base = base
        self.tuned = tuned
        self.difference: float = tuned["value"] - base["value"]
        # As if the items were different ones: the cautious way, since pairing usually narrows it.
        self.stderr = math.hypot(base["stderr"] or 0.0, tuned["stderr"] or 0.0)

    @property
    def better(self) -> bool:
        """Whether the difference is more than twice its standard error."""
        return self.difference > 2 * self.stderr


def pair(board: list[dict[str, Any]], base: str, tuned: str) -> list[Comparison]:
    """Return what two jobs can be compared on, the primary score first.

    ``base`` and ``tuned`` are job ids. Only scores with equal settings make a pair.
    """
    mine = {one: [row for row in board if row["job"] == one] for one in (base, tuned)}
    pairs = [
        Comparison(left, right)
        for left in mine[base]
        for right in mine[tuned]
        if (left["metric"], left["settings"]) == (right["metric"], right["settings"])
    ]
    return sorted(pairs, key=lambda one: one.base["settings"].get("filter") != "last-number")


def print_table(comparisons: list[Comparison]) -> None:
    """Print one line a score."""
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column(t("score", "得分"))
    for en, zh in (("base", "原模型"), ("tuned", "微调后"), ("difference", "差值"),
                   ("std. error", "标准误"), ("items", "题数")):  # fmt: skip
        table.add_column(t(en, zh), justify="right")
    for one in comparisons:
        name = f"{one.base['benchmark']} {one.base['metric']} ({one.base['settings']['filter']})"
        table.add_row(
            name, f"{one.base['value']:.3f}", f"{one.tuned['value']:.3f}",
            f"{one.difference:+.3f}", f"{one.stderr:.3f}", str(one.base["items"]),
        )  # fmt: skip
    Console(width=100, soft_wrap=True).print(table)
