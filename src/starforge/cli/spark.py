"""Curves as text: a line of blocks, and a plot of braille dots."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

BLOCKS = "▁▂▃▄▅▆▇█"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # rows of a 2 x 4 cell


def sparkline(values: Sequence[float | None], width: int = 24) -> str:
    """Draw values as one line, at most ``width`` wide; what is not a number is a space."""
    shown = _shrink(values, width)
    known = [value for value in shown if value is not None and isfinite(value)]
    if not known:
        return ""
    low, high = min(known), max(known)
    span = (high - low) or 1.0
    steps = len(BLOCKS) - 1
    return "".join(
        " " if value is None or not isfinite(value) else BLOCKS[round((value - low) / span * steps)]
        for value in shown
    )


def _shrink(values: Sequence[float | None], width: int) -> list[float | None]:
    """Average neighbours until there are at most ``width`` values."""
    if len(values) <= width:
        return list(values)
    shrunk: list[float | None] = []
    for index in range(width):
        part = values[index * len(values) // width : (index + 1) * len(values) // width]
        known = [value for value in part if value is not None and isfinite(value)]
        shrunk.append(sum(known) / len(known) if known else None)
    return shrunk


def plot(
    xs: Sequence[float], ys: Sequence[float | None], *, width: int = 64, height: int = 10
) -> list[str]:
    """Draw points as lines of text with the limits of both axes.

    ``width`` and ``height`` are in characters of the drawing itself.
    """
    points = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None and isfinite(y)]
    if not points:
        return []
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = min(y for _, y in points), max(y for _, y in points)
    cells = [[0] * width for _ in range(height)]
    previous: tuple[int, int] | None = None
    for x, y in sorted(points):
        column = round((x - left) / ((right - left) or 1) * (width * 2 - 1))
        row = round((high - y) / ((high - low) or 1) * (height * 4 - 1))
        _line(cells, previous or (column, row), (column, row))
        previous = (column, row)
    return _frame(cells, (left, right), (low, high))


def _line(cells: list[list[int]], start: tuple[int, int], end: tuple[int, int]) -> None:
    """Set the dots between two points."""
    count = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
    for step in range(count + 1):
        column = round(start[0] + (end[0] - start[0]) * step / count)
        row = round(start[1] + (end[1] - start[1]) * step / count)
        cells[row // 4][column // 2] |= _DOTS[row % 4][column % 2]


def _frame(cells: list[list[int]], xs: tuple[float, float], ys: tuple[float, float]) -> list[str]:
    labels = {0: f"{ys[1]:.4g}", len(cells) - 1: f"{ys[0]:.4g}"}
    margin = max(len(label) for label in labels.values())
    lines = [
        f"{labels.get(index, ''):>{margin}} ┤" + "".join(chr(0x2800 + cell) for cell in row)
        for index, row in enumerate(cells)
    ]
    first, last = f"{xs[0]:g}", f"{xs[1]:g}"
    gap = max(1, len(cells[0]) - len(first) - len(last))
    lines.append(" " * (margin + 2) + first + " " * gap + last)
    return lines
