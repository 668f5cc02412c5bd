"""Remove what an attempt keeps outside of its own folder, once its processes are gone.

Sockets need short paths, so some jobs have folders below ``/tmp``. They write each down in
``layout.FOLDERS`` before it is made, and remove it at their own end; a job that was killed
can't, so whoever clears up behind an attempt does it here.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path

from starforge import layout
from starforge.runner import shm


def remove(attempt_dir: Path) -> list[Path]:
    """Remove the folders an attempt wrote down; return those that were still there.

    ``*`` in the last part of a path stands for anything. What is written there is the job's
    word, so only what this user owns and what bears the name that the job side gives
    (``layout.FOLDER_PREFIX``) is touched, and no link followed.
    """
    gone = []
    for written in _written_down(attempt_dir / layout.FOLDERS):
        for path in _matching(written):
            if _is_ours(path):
                remove_one(path)
                gone.append(path)
    return gone


def remove_one(path: Path) -> None:
    """Remove a folder with all in it, a socket, or a semaphore."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def _written_down(file: Path) -> list[Path]:
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [Path(line) for line in lines if line]


def _matching(path: Path) -> list[Path]:
    named = path.name.startswith(layout.FOLDER_PREFIX) or f"-{layout.FOLDER_PREFIX}" in path.name
    if not named or not path.is_absolute() or ".." in path.parts:
        return []
    if "*" not in path.name:
        return [path]
    with contextlib.suppress(OSError, ValueError):
        return sorted(path.parent.glob(path.name))
    return []


def _is_ours(path: Path) -> bool:
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return False
    wanted = stat.S_ISDIR(found.st_mode) or stat.S_ISSOCK(found.st_mode)
    wanted = wanted or (path.parent == shm.PLACE and stat.S_ISREG(found.st_mode))
    return wanted and found.st_uid == os.getuid()
