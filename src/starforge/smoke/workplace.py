"""The temporary folder of a smoke run, which goes whatever ends it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "sf-smoke-"


@contextmanager
def workplace(*, keep: bool) -> Iterator[Path]:
    """Give a folder that goes at the end; those of runs that were killed go first."""
    root = Path(tempfile.gettempdir())
    for old in root.glob(f"{PREFIX}*"):
        pid = old.name.removeprefix(PREFIX).partition("-")[0]
        with suppress(FileNotFoundError):  # another run swept it first
            if pid.isdigit() and not _alive(int(pid)) and old.stat().st_uid == os.getuid():
                shutil.rmtree(old, ignore_errors=True)
    mark = "kept" if keep else str(os.getpid())
    work = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{mark}-"))
    try:
        yield work
    finally:
        if not keep:
            shutil.rmtree(work, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
