"""End what still runs of a home that was deleted, before its backup takes its place."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from starforge import layout
from starforge.runner import procs
from starforge.runner.reap import kill_tagged


def end_strays(job: str, attempt: int, folder: Path) -> bool:
    """End the processes of an attempt whose own folders are gone; say if there were any.

    They hold files that have no name any more, and would write their status over that of
    the restored attempt. Processes of a home that was only moved are left alone: their
    working folder still exists.
    """
    tag = f"{job}/{attempt}"
    strays = [pid for pid in procs.snapshot() if _is_of(pid, tag, folder) and _is_homeless(pid)]
    for pid in strays:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    if strays:
        kill_tagged(tag)
    return bool(strays)


def _is_of(pid: int, tag: str, folder: Path) -> bool:
    if procs.has_variable(pid, f"{layout.ENV_TAG}={tag}".encode()):
        return True
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return b"starforge.runner" in words and os.fsencode(folder) in words
    return False


def _is_homeless(pid: int) -> bool:
    """Say whether the working folder of a process was deleted."""
    with contextlib.suppress(OSError):
        return str(Path(f"/proc/{pid}/cwd").readlink()).endswith(" (deleted)")
    return False
