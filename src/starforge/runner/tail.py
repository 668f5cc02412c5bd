"""Find the files of an attempt's streams and read them by offset."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from starforge.runner.launch import StreamSpec

# What is small and looked at first is shipped first.
_ORDER = {"report": 0, "tensorboard": 1, "scores": 2, "samples": 3, "log": 4}


@dataclass(frozen=True)
class StreamFile:
    """One file of a stream now. ``path`` is relative to the attempt folder, with slashes."""

    path: str
    format: str
    size: int
    names: dict[str, str]


class Tail:
    """The files that match the streams; the first stream that matches a file gives its format."""

    def __init__(self, attempt_dir: Path, streams: Iterable[StreamSpec]) -> None:
        self._dir = attempt_dir
        self._streams = list(streams)

    def scan(self) -> list[StreamFile]:
        """Return the regular files of all streams, small kinds first."""
        found: dict[str, StreamFile] = {}
        for stream in self._streams:
            # Path.glob would build a Path for every file, every second.
            for path in glob.iglob(stream.path, root_dir=self._dir, recursive=True):  # noqa: PTH207
                if path not in found and _is_inside(path):
                    size = self._size(path)
                    if size is not None:
                        found[path] = StreamFile(path, stream.format, size, stream.names)
        return sorted(found.values(), key=lambda file: (_ORDER.get(file.format, 9), file.path))

    def read(self, path: str, offset: int, limit: int) -> bytes:
        """Return up to ``limit`` bytes; fewer at the end of the file.

        Raises:
            OSError: the file can't be read.
        """
        with (self._dir / path).open("rb", buffering=0) as handle:
            return os.pread(handle.fileno(), limit, offset)

    def _size(self, path: str) -> int | None:
        try:
            info = (self._dir / path).stat()
        except OSError:
            return None
        return info.st_size if stat.S_ISREG(info.st_mode) else None


def _is_inside(path: str) -> bool:
    """Say whether a match is a path below the attempt folder that a URL can name."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return not path.startswith("/") and ".." not in path.split("/")
