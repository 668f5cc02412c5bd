"""Which rows a smoke run takes: the longest ones, and a few at random."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec

from starforge.lab.columns import BYTE_ORDER_MARK, rename_line
from starforge.lab.context import DataSource
from starforge.smoke.lengths import FRAME, most_tokens

SEED = 20240229


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The rows that were chosen.

    ``longest`` and ``others`` are line numbers of the file; ``too_long`` counts rows that
    were left out since the limit of a smoke run is below the experiment's own.
    """

    longest: list[int]
    others: list[int]
    total: int
    too_long: int = 0

    @property
    def lines(self) -> list[int]:
        """All line numbers, the longest rows first."""
        return self.longest + self.others


def choose(
    source: DataSource, count: int, *, limit: int | None = None, columns: tuple[str, ...] = ()
) -> Chosen:
    """Choose ``count`` rows: half of them the longest, the rest at random, always the same.

    With ``limit``, rows that may have more tokens are left out, unless too few would stay:
    then the shortest of them come in. ``columns`` are those that count for the length (all).
    """
    sizes = list(_sizes(source, columns))
    fitting = [one for one in sizes if limit is None or one[0] <= limit]
    short = heapq.nsmallest(count, sizes) if len(fitting) < count else []
    pool = fitting if not short else sorted({*fitting, *short})
    half = (count + 1) // 2
    longest = heapq.nlargest(half, pool, key=lambda one: (one[0], -one[1]))
    taken = {line for _, line in longest}
    rest = [line for _, line in pool if line not in taken]
    pick = random.Random(SEED)  # noqa: S311 - nothing secret: the same rows every time
    others = pick.sample(rest, min(count - len(longest), len(rest)))
    return Chosen(
        longest=[line for _, line in longest], others=sorted(others), total=len(sizes),
        too_long=len(sizes) - len(fitting),
    )  # fmt: skip


def write(source: DataSource, chosen: Chosen, least: int, target: Path) -> Path:
    """Write the chosen rows at their own line numbers, with blank lines between them.

    So what a check or a driver says about a row is right for the author's file. When they are
    fewer than ``least``, they follow again.
    """
    wanted = set(chosen.lines)
    lines = {
        number: line.removeprefix(BYTE_ORDER_MARK)
        for number, line in source.raw_lines()
        if number in wanted
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as stream:
        for number in range(1, max(wanted, default=0) + 1):
            stream.write(lines.get(number, b"") + b"\n")
        again = [lines[number] for number in sorted(lines)]
        for number in range(len(lines), least if lines else 0):
            stream.write(again[number % len(again)] + b"\n")
    return target


def _sizes(source: DataSource, columns: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield ``(most tokens, line number)`` of every row."""
    for number, raw in source.raw_lines():
        line = rename_line(raw, source.columns) if source.columns else raw
        try:
            row = msgspec.json.decode(line.removeprefix(BYTE_ORDER_MARK))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if isinstance(row, dict):
            counted = {name: row.get(name) for name in columns} if columns else row
            yield most_tokens(counted) + 2 * FRAME, number
