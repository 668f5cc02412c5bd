"""Which rows a smoke run takes: the longest ones, and a few at random."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from starforge.lab.columns import BYTE_ORDER_MARK, rename_line
from starforge.lab.context import DataSource
from starforge.smoke.lengths import FRAME, most_tokens

SEED = 20240229
MEASURED = 2000  # rows whose tokens are counted at most: the longest


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


Fits = Callable[[dict[str, Any]], bool]


def choose(
    source: DataSource,
    count: int,
    *,
    limit: int | None = None,
    columns: tuple[str, ...] = (),
    fits: Fits | None = None,
) -> Chosen:
    """Choose ``count`` rows: half of them the longest, the rest at random, always the same.

    With ``limit``, rows that may have more tokens are left out, unless too few would stay:
    then the shortest of them come in. ``fits`` measures a row that only may be too long.
    ``columns`` are those that count for the length (all).
    """
    sizes = sorted(_sizes(source, columns), key=lambda one: (-one[0], one[1]))
    near = {line for size, line in sizes if limit is not None and size > limit}
    known = _measured(source, [line for _, line in sizes if line in near][:MEASURED], fits)
    fitting = [line for _, line in sizes if line not in near or known.get(line)]
    if len(fitting) < count:
        taken = set(fitting)
        shortest = [line for _, line in reversed(sizes) if line not in taken]
        fitting += shortest[: count - len(fitting)]
    longest = fitting[: (count + 1) // 2]
    rest = sorted(set(fitting) - set(longest))
    pick = random.Random(SEED)  # noqa: S311 - nothing secret: the same rows every time
    others = pick.sample(rest, min(count - len(longest), len(rest)))
    return Chosen(
        longest=longest, others=sorted(others), total=len(sizes),
        too_long=len(near) - sum(known.values()),
    )  # fmt: skip


def _measured(source: DataSource, lines: list[int], fits: Fits | None) -> dict[int, bool]:
    """Measure rows, by line number."""
    wanted, found = set(lines), dict[int, bool]()
    if fits is None or not wanted:
        return found
    for number, line in source.lines():
        if number in wanted:
            found[number] = fits(msgspec.json.decode(line.removeprefix(BYTE_ORDER_MARK)))
    return found


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
