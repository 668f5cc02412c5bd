"""Ends a server whose home was deleted or moved away: nobody could ever find it again."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

EVERY = 5.0  # seconds between looks
MISSES = 2  # looks in a row that must fail: a file system may be away for a moment


class HomeWatch:
    """Looks at one file of the home now and then; calls ``gone`` once when it is not there.

    The file is known by device and inode, so that another home made in the same place,
    with a server of its own, is not taken for ours.
    """

    def __init__(self, file: Path, gone: Callable[[], None], every: float = EVERY) -> None:
        self._file = file
        self._gone = gone
        self._every = every
        self._known = _identity(file)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="home-watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Stop looking."""
        self._closed.set()

    def _run(self) -> None:
        misses = 0
        while not self._closed.wait(self._every):
            misses = 0 if _identity(self._file) == self._known else misses + 1
            if misses >= MISSES:
                self._gone()
                return


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(file)  # noqa: PTH116 - the plain call says what is compared
    except OSError:
        return None
    return found.st_dev, found.st_ino
