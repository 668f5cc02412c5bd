"""Printing: JSON, tables, colours (none when the output is not a terminal)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from starforge.lang import t

if TYPE_CHECKING:
    from rich.console import Console

STATE_COLOURS = {
    "queued": "yellow",
    "starting": "cyan",
    "running": "cyan",
    "stopping": "yellow",
    "succeeded": "green",
    "failed": "red",
    "stopped": "magenta",
    "unreachable": "red",
    "gate_failed": "red",
    "skipped": "yellow",
}
_STATES = {
    "queued": "排队中",
    "starting": "启动中",
    "running": "运行中",
    "stopping": "停止中",
    "succeeded": "成功",
    "failed": "失败",
    "stopped": "已停止",
    "unreachable": "失联",
    # Of a pipeline's stages:
    "waiting": "等待中",
    "gate_failed": "未过门槛",
    "skipped": "已跳过",
    "pruned": "提前结束",  # a trial of a sweep
}


def is_terminal(*, err: bool = False) -> bool:
    """Say whether a person looks at the output."""
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colour(*, err: bool = False) -> bool:
    """Say whether colours are wanted (https://no-color.org)."""
    return is_terminal(err=err) and not os.environ.get("NO_COLOR")


def style(text: str, colour: str | None = None, *, bold: bool = False, err: bool = False) -> str:
    """Colour a text when colours are wanted."""
    return click.style(text, fg=colour, bold=bold or None) if has_colour(err=err) else text


def say(text: str = "") -> None:
    """Print a line."""
    click.echo(text)


def visible(text: str) -> str:
    """Return a text of a job's making without what would steer the terminal."""
    return "".join(
        letter if letter in "\n\t" or letter.isprintable() or ord(letter) > 0x9F else "\ufffd"
        for letter in text
    )


def note(text: str) -> None:
    """Print a line that is no part of the result (stderr)."""
    click.echo(text, err=True)


def plain(value: Any) -> Any:
    """Turn wire models, structs and paths into what JSON knows."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if hasattr(value, "__struct_fields__"):
        import msgspec

        return plain(msgspec.to_builtins(value))
    return str(value)


def print_json(value: Any) -> None:
    """Print a value as JSON; NaN and infinity, which JSON lacks, as ``null``."""
    click.echo(json.dumps(_finite(plain(value)), ensure_ascii=False, indent=2))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return value


def console(*, err: bool = False) -> Console:
    """Return a rich console; wide and plain when nobody looks at it."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    terminal = is_terminal(err=err)
    return Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=terminal,
        no_color=not has_colour(err=err),
        width=None if terminal else 10_000,
    )


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    right: Iterable[int] = (),
    state: int | None = None,
) -> None:
    """Print rows under headings. ``right``: columns to align at the right; ``state``: the
    column of a job's state, which is named in words and coloured.

    On a terminal long cells are folded; elsewhere nothing is ever cut.
    """
    from rich.table import Table
    from rich.text import Text as Cell

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    aligned = set(right)
    for index, name in enumerate(columns):
        table.add_column(
            name, justify="right" if index in aligned else "left", overflow="fold", no_wrap=False
        )
    for row in rows:
        cells = []
        for index, value in enumerate(row):
            text = "" if value is None else str(value)
            if index == state:
                cells.append(Cell(state_name(text), style=STATE_COLOURS.get(text, "")))
            else:
                cells.append(Cell(text))
        table.add_row(*cells)
    target = console()
    with target.capture() as captured:
        target.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip(), color=has_colour() or None)


def print_fields(pairs: Iterable[tuple[str, object]]) -> None:
    """Print names and values below each other, leaving out what is empty."""
    from rich.cells import cell_len

    shown = [(name, str(value)) for name, value in pairs if value not in (None, "", [], {})]
    width = max((cell_len(name) for name, _ in shown), default=0)
    for name, value in shown:
        padding = " " * (width - cell_len(name))
        first, *more = value.splitlines() or [""]
        click.echo(f"{style(name, bold=True)}{padding}  {first}")
        for line in more:
            click.echo(" " * (width + 2) + line)


def state_name(state: str) -> str:
    """Return the name of a job's state in the language of this process."""
    return t(state, _STATES.get(state, state))


def number(value: float | None, digits: int = 4) -> str:
    """Show a number in few characters."""
    if value is None:
        return "-"
    if isinstance(value, int) or float(value).is_integer():
        return str(int(value)) if abs(value) < 1e9 else f"{value:.{digits}g}"
    return f"{value:.{digits}g}"


def size(count: float | None) -> str:
    """Show bytes as a person reads them."""
    if count is None:
        return "-"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(count) < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def duration(seconds: float | None) -> str:
    """Show seconds as ``42s``, ``3m 05s`` or ``2h 07m``."""
    if seconds is None:
        return "-"
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02d}m"


def moment(when: datetime | None) -> str:
    """Show a time in the local time zone."""
    return when.astimezone().strftime("%Y-%m-%d %H:%M:%S") if when else "-"


def ago(when: datetime | None) -> str:
    """Show how long ago a time was."""
    if when is None:
        return "-"
    seconds = (datetime.now(UTC) - when).total_seconds()
    return t("{time} ago", "{time}前", time=duration(seconds))
