"""Policies that look at the surroundings: room on the disk, and signs of progress."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from starforge import layout
from starforge.runner.hardware import FILE as SYSTEM_METRICS
from starforge.runner.launch import PolicySpec
from starforge.runner.tail import Tail

GIB = 1 << 30
SHARE = 0.02  # of the file system
_OWN = (SYSTEM_METRICS, layout.ALERTS)


class DiskWatch:
    """Says when the file system of a job's folder has less room than the reserve.

    The reserve is what the policy names, or the smaller of 1 GiB and 2 % of the file
    system, so that a stopped job's last words, and its server's, still find room.
    """

    def __init__(self, folder: Path, policy: PolicySpec) -> None:
        self._folder = folder
        self._enabled = policy.disk_full
        self._reserve = policy.disk_reserve

    def look(self) -> tuple[int, int] | None:
        """Return ``(free bytes, reserve)`` when the room is too small."""
        if not self._enabled:
            return None
        try:
            info = os.statvfs(self._folder)
        except OSError:
            return None
        free, total = info.f_bavail * info.f_frsize, info.f_blocks * info.f_frsize
        reserve = self._reserve
        if reserve is None:
            reserve = min(GIB, SHARE * total)
        return (free, int(reserve)) if free < reserve else None


class StallWatch:
    """Says when a job has shown no progress for as long as its policy allows.

    Progress is a new ``progress.json``, or a stream or log that has another size than at
    the last look. What the runner writes itself (the machine's figures, alerts) is none.
    """

    def __init__(
        self,
        attempt_dir: Path,
        tail: Tail,
        policy: PolicySpec,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._progress = attempt_dir / layout.PROGRESS
        self._tail = tail
        self._limit = policy.stalled
        self._clock = clock
        self._seen: object = None
        self._since = clock()

    def look(self) -> float | None:
        """Return the seconds without progress when they are too many."""
        if self._limit is None:
            return None
        now, signs = self._clock(), self._signs()
        if signs != self._seen:
            self._seen, self._since = signs, now
            return None
        idle = now - self._since
        return idle if idle >= self._limit else None

    def _signs(self) -> object:
        sizes = [(f.path, f.size) for f in self._tail.scan() if f.path not in _OWN]
        try:
            info = self._progress.stat()
        except OSError:
            return sizes, None
        return sizes, (info.st_mtime_ns, info.st_ino, info.st_size)
