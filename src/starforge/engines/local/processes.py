"""Knowing a process again after a restart: pid and start time, in this boot."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from starforge.runner import procs

_SAME = 1.0  # where only the wall clock tells the start, it may be off by a little


def start_time(pid: int) -> float | None:
    """Return when a live process started; ``None`` for dead and zombie ones.

    On Linux in clock ticks since boot, so that nobody seems another when the wall clock
    jumps; elsewhere in Unix seconds.
    """
    proc = procs.lookup(pid)
    if proc is not None:
        return None if proc.zombie else float(proc.started)
    if Path("/proc/self/stat").exists():
        return None
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process.create_time()
    except (psutil.Error, OSError):
        return None


def is_same(pid: int, started: float) -> bool:
    """Say whether the process ``pid`` is alive and the one that started then."""
    now = start_time(pid)
    return now is not None and abs(now - started) < _SAME


def boot_id() -> str:
    """Name this boot of the machine; pids of another boot mean nothing."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return f"{psutil.boot_time():.0f}"


def send(pid: int, number: int) -> bool:
    """Send a signal; say whether the process was there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
