"""The live view of a watched job."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from starforge.cli.output import STATE_COLOURS, duration, number, state_name
from starforge.cli.spark import sparkline
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.cli.watch import Watched
    from starforge.wire.jobs import Job


def render(state: Watched) -> RenderableType:
    """Draw state, progress, primary metrics and the last lines of the log."""
    parts: list[RenderableType] = [_headline(state.job)]
    if state.job.progress is not None and state.job.progress.step is not None:
        parts.append(_progress(state.job))
    if state.curves:
        parts.append(_metrics(state))
    for line in list(state.log):
        parts.append(Text("  " + line, style="dim", no_wrap=True, overflow="ellipsis"))
    return Group(*parts)


def _headline(job: Job) -> Text:
    text = Text()
    text.append(state_name(job.state), style=f"bold {STATE_COLOURS.get(job.state, '')}".strip())
    text.append(f"  {job.name} ({job.id})  {job.method}")
    if job.started_at is not None:
        end = job.ended_at or datetime.now(UTC)
        text.append(f"  {duration((end - job.started_at).total_seconds())}", style="dim")
    if job.message:
        text.append(f"\n{job.message}", style="yellow" if job.state == "queued" else "")
    return text


def _progress(job: Job) -> Table:
    progress = job.progress
    assert progress is not None
    step, total = progress.step or 0, progress.total
    row = Table.grid(padding=(0, 1))
    eta = progress.eta_seconds
    left = t("{time} left", "还需 {time}", time=duration(eta)) if eta is not None else ""
    row.add_row(
        ProgressBar(total=total, completed=step, width=40, pulse=total is None),
        Text(f"{step}/{total}" if total else str(step)),
        Text(left, style="dim"),
    )
    return row


def _metrics(state: Watched) -> Table:
    table = Table.grid(padding=(0, 2))
    for name in state.primary:
        points = list(state.curves.get(name, ()))
        if points:
            table.add_row(
                Text(name), Text(number(points[-1]), style="bold"), Text(sparkline(points, 40))
            )
    return table
