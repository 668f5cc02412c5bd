"""Find the files of an attempt's streams and read them by offset."""

from __future__ import annotations

import glob
import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from starforge.runner.launch import StreamSpec

# What is small and looked at first is shipped first.
_ORDER = {"alerts": 0, "report": 0, "tensorboard": 1, "scores": 2, "samples": 3, "log": 4}


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
        """Return the regular files of all streams, small kinds first.

        A file that links lead to by several paths is one file: the shortest path counts.
        """
        found: dict[tuple[int, int], StreamFile] = {}
        paths: set[str] = set()
        for stream in self._streams:
            for path in self._matches(stream.path):
                if path in paths or not _is_inside(path):
                    continue
                paths.add(path)
                info = self._look(path)
                if info is None:
                    continue
                key = (info.st_dev, info.st_ino)
                known = found.get(key)
                if known is None or (len(path), path) < (len(known.path), known.path):
                    found[key] = StreamFile(path, stream.format, info.st_size, stream.names)
        return sorted(found.values(), key=lambda file: (_ORDER.get(file.format, 9), file.path))

    def read(self, path: str, offset: int, limit: int) -> bytes:
        """Return up to ``limit`` bytes; fewer at the end of the file.

        Raises:
            OSError: the file can't be read.
        """
        with (self._dir / path).open("rb", buffering=0) as handle:
            return os.pread(handle.fileno(), limit, offset)

    def _matches(self, pattern: str) -> Iterator[str]:
        """Yield the paths that match; ``**/`` looks into every folder once.

        ``glob`` itself would go round with every link to a folder above, and with two of
        them it would not come back.
        """
        above, deep, below = pattern.partition("**/")
        for folder in self._folders(above) if deep else [""]:
            # Path.glob would build a Path for every file, every second.
            for name in glob.iglob(below or pattern, root_dir=self._dir / folder):  # noqa: PTH207
                yield folder + name

    def _folders(self, top: str) -> Iterator[str]:
        """Yield ``top`` and every folder below, the nearest first, each with its slash."""
        seen: set[tuple[int, int]] = set()
        waiting = deque([top])
        while waiting:
            folder = waiting.popleft()
            try:
                info = (self._dir / folder).stat()
                with os.scandir(self._dir / folder) as entries:
                    inside = sorted(entry.name for entry in entries if _is_folder(entry))
            except OSError:
                continue
            if (info.st_dev, info.st_ino) not in seen:
                seen.add((info.st_dev, info.st_ino))
                yield folder
                waiting.extend(f"{folder}{name}/" for name in inside if not name.startswith("."))

    def _look(self, path: str) -> os.stat_result | None:
        try:
            info = (self._dir / path).stat()
        except OSError:
            return None
        return info if stat.S_ISREG(info.st_mode) else None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _is_inside(path: str) -> bool:
    """Say whether a match is a path below the attempt folder that can name a stream.

    One with control characters or bytes that are no text cannot; the server says so in the
    job's events when the attempt has ended.
    """
    return path.isprintable() and not path.startswith("/") and ".." not in path.split("/")
