"""What ``sf dataset`` and ``sf model`` share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from starforge.cli.output import console, is_terminal
from starforge.errors import StarForgeError
from starforge.i18n import Text

PIECE = 1 << 20


class _Versioned(Protocol):
    @property
    def version(self) -> int: ...


V = TypeVar("V", bound=_Versioned)


def split_ref(text: str, prefix: str) -> tuple[str, str]:
    """Split ``NAME`` or ``NAME@VERSION`` (``latest`` when none); ``prefix`` may stand before."""
    name, _, version = text.removeprefix(prefix).partition("@")
    return name, version or "latest"


def pick_version(versions: Sequence[V], ref: str, version: str) -> V:
    """Return one of all versions (newest first)."""
    if version == "latest" and versions:
        return versions[0]
    for one in versions:
        if str(one.version) == version:
            return one
    known = ", ".join(str(one.version) for one in versions)
    raise StarForgeError(
        "registry/no-version",
        Text(f"there is no `{ref}`", f"没有 `{ref}`"),
        Text(f"there are versions {known}", f"现有版本：{known}"),
        status=404,
    )


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
