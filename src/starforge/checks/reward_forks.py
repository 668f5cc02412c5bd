"""What a reward forks while it is tried: how many processes, and whether one comes back.

Stand-alone and of the standard library only: :mod:`starforge.checks.reward_trial` loads it.
"""

from __future__ import annotations

import mmap
import os
import sys
import time
from typing import Any

MOST = 256  # forks of one call, counted over all processes; programs that are started don't count
_GRACE = 1.0  # seconds in which a forked process that comes back is seen
_COUNT, _BACK = slice(0, 8), 8


class TooManyForksError(RuntimeError):
    """Raised in whichever process forks once too often."""


class Forks:
    """Watches this process and what it forks, for as long as it lives."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 16)  # shared with everything that is forked
        self._pid = os.getpid()
        sys.addaudithook(self._hook)

    def _hook(self, event: str, _: tuple[Any, ...]) -> None:
        if event in ("os.fork", "os.forkpty"):
            count = int.from_bytes(self._shared[_COUNT], "little") + 1
            self._shared[_COUNT] = count.to_bytes(8, "little")
            if count > MOST:
                raise TooManyForksError(f"more than {MOST} processes forked in one call")

    def begin(self) -> None:
        """Count the forks of another call."""
        self._shared[_COUNT] = bytes(8)

    def leave(self) -> None:
        """End this process here, if it is a forked one that came back from the reward."""
        if os.getpid() != self._pid:
            self._shared[_BACK] = 1
            os._exit(0)

    def came_back(self) -> bool:
        """Say whether a forked process came back; waits a little where there was a fork."""
        self.leave()
        if self._shared[_COUNT] == bytes(8):
            return False
        deadline = time.monotonic() + _GRACE
        while not self._shared[_BACK] and time.monotonic() < deadline:
            time.sleep(0.01)
        return bool(self._shared[_BACK])
