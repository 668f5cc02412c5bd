"""What ``sf dataset`` and ``sf model`` share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starforge.cli.output import console, is_terminal

PIECE = 1 << 20


@contextmanager
def progress_of(file: Path, *, quiet: bool) -> Iterator[Iterator[bytes]]:
    """Give the pieces of a file to upload, with a progress bar on a terminal."""
    if quiet or not is_terminal(err=True):
        yield _pieces(file)
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task(file.name, total=file.stat().st_size)

        def counted() -> Iterator[bytes]:
            for piece in _pieces(file):
                yield piece
                bar.advance(task, len(piece))

        yield counted()


def _pieces(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while piece := stream.read(PIECE):
            yield piece
