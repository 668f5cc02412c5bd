"""Sizes and digests of folders."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

SMALL = 4 * 1024 * 1024
SLICE = 1024 * 1024


def walk(folder: Path) -> Iterator[Path]:
    """Yield the regular files of a folder, sorted; links are not followed out of it."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            yield path


def folder_size(folder: Path) -> int:
    """Return the bytes of a file or of all files in a folder."""
    if folder.is_file():
        return folder.stat().st_size
    return sum(path.stat().st_size for path in walk(folder))


def folder_digest(folder: Path) -> str:
    """Return a digest of a folder's content.

    Names, sizes and whole small files; of large files (weights) the first and last MiB.
    Good to tell trained models apart without reading gigabytes.
    """
    total = hashlib.sha256()
    for path in walk(folder):
        size = path.stat().st_size
        name = path.relative_to(folder).as_posix()
        total.update(f"{name}\0{size}\0".encode("utf-8", "surrogateescape"))
        with path.open("rb") as handle:
            if size <= SMALL:
                total.update(handle.read())
            else:
                total.update(handle.read(SLICE))
                handle.seek(-SLICE, 2)
                total.update(handle.read(SLICE))
    return total.hexdigest()
