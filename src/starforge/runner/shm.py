"""Shared memory that killed processes leave in ``/dev/shm``, where nobody else would free it.

Named segments outlive those who made them. Python's resource tracker removes them behind a
process that ends, but is killed with the others of its job.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

PLACE = Path("/dev/shm")  # noqa: S108 - only looked at; nothing is made here
_PROC = Path("/proc")


def mapped(pids: Iterable[int]) -> set[Path]:
    """Return the named segments that processes have mapped now."""
    found: set[Path] = set()
    for pid in pids:
        try:
            maps = (_PROC / str(pid) / "maps").read_text("utf-8", "replace")
        except OSError:
            continue
        for line in maps.splitlines():
            # The path is the last of six fields, and says when its name is gone already.
            fields = line.split(None, 5)
            path = Path(fields[5]) if len(fields) == 6 else None
            if path and path.parent == PLACE and not path.name.endswith(" (deleted)"):
                found.add(path)
    return found


def remove(segments: set[Path]) -> list[Path]:
    """Remove those of ``segments`` that no living process has mapped; return them."""
    there = {path for path in segments if _is_ours(path)}
    if not there:
        return []
    with contextlib.suppress(OSError):
        there -= mapped(int(name) for name in os.listdir(_PROC) if name.isdigit())  # noqa: PTH208
    gone = []
    for path in sorted(there):
        with contextlib.suppress(OSError):
            path.unlink()
            gone.append(path)
    return gone


def _is_ours(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.getuid()
    except OSError:
        return False
