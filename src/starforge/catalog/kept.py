"""What reading the catalog gave, kept between processes: a list of methods must not parse YAML.

Kept below the user's cache folder (``XDG_CACHE_HOME``, else ``~/.cache``), which may be
deleted at any time. Every file says from what it was made (:func:`stamp`); another stamp
means it is not used and written anew. A file is replaced as a whole, so processes that
write at once do each other no harm; where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")

FileStamp = tuple[str, int, int, int]
"""Path, size, time of the last change of content and of anything, in nanoseconds."""


class _Entry(msgspec.Struct, frozen=True):
    stamp: list[FileStamp]
    value: msgspec.Raw


class Kept:
    """Values made from the files of one catalog folder, by name."""

    def __init__(self, root: Path, folder: Path | None = None) -> None:
        self._root = root
        name = f"catalog-{zlib.crc32(os.fsencode(root)):08x}"
        self._folder = folder or cache_folder() / name
        self._stamp: list[FileStamp] | None = None

    def read(self, name: str, kind: type[T]) -> T | None:
        """Return what is kept under ``name``, unless the files have changed since."""
        now = self._now()
        try:
            entry = msgspec.msgpack.decode(self._file(name).read_bytes(), type=_Entry)
            if entry.stamp != now:
                return None
            return msgspec.msgpack.decode(entry.value, type=kind)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, name: str, value: object, kind: type[T]) -> None:
        """Keep a value, if it comes back from its file exactly as it is."""
        scratch = self._file(f".{name}.{os.getpid()}-{threading.get_ident()}")
        with suppress(OSError, TypeError, ValueError, OverflowError, msgspec.MsgspecError):
            raw = msgspec.msgpack.encode(value)
            if msgspec.msgpack.decode(raw, type=kind) != value:
                return
            data = msgspec.msgpack.encode(_Entry(self._now(), msgspec.Raw(raw)))
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                scratch.write_bytes(data)
                scratch.replace(self._file(name))
            except OSError:
                scratch.unlink(missing_ok=True)

    def _now(self) -> list[FileStamp]:
        # Looked at once, before anything is read: what changes later makes the stamp differ.
        if self._stamp is None:
            self._stamp = stamp(self._root)
        return self._stamp

    def _file(self, name: str) -> Path:
        return self._folder / f"{name.replace('/', '+')}.msgpack"


def cache_folder() -> Path:
    """Return StarForge's folder for what can be made again at any time."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base).expanduser() if base else Path.home() / ".cache") / "starforge"


def stamp(root: Path) -> list[FileStamp]:
    """Return what tells whether a catalog, or the code that reads it, has changed."""
    return sorted([*_stats(os.fspath(root), deep=True), *_CODE])


def _stats(folder: str, *, deep: bool) -> Iterator[FileStamp]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if deep:
                    yield from _stats(entry.path, deep=True)
            elif entry.name.endswith((".py", ".yaml", ".json")):
                found = entry.stat()
                yield entry.path, found.st_size, found.st_mtime_ns, found.st_ctime_ns


# Looked at when the code is loaded: a process may live on after its files were replaced.
_CODE = list(_stats(os.path.dirname(__file__), deep=False))  # noqa: PTH120 - at every start
