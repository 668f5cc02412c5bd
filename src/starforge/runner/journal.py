"""The runner's own log. A full disk is no reason to stop a job: lines wait and come later."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from pathlib import Path

_KEPT = 200


class Journal:
    """Append lines to ``runner.log``; safe from every thread, never raises."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._waiting: deque[str] = deque(maxlen=_KEPT)
        self._said: set[str] = set()

    def say(self, text: str, *, once: bool = False) -> None:
        """Write one line with the time; with ``once`` only the first time it is said."""
        with self._lock:
            if once:
                if text in self._said:
                    return
                self._said.add(text)
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            self._waiting.append(f"{stamp} {text}\n")
            self._flush()

    def _flush(self) -> None:
        data = "".join(self._waiting).encode("utf-8", "replace")
        try:
            if self._path is None:
                sys.stderr.buffer.write(data)
                sys.stderr.buffer.flush()
            else:
                append(self._path, data)
        except (OSError, ValueError):
            return
        self._waiting.clear()


def append(path: Path, data: bytes) -> None:
    """Append ``data`` to a file as one piece.

    Raises:
        OSError: it could not be written whole; what was written of it is taken back.
    """
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        before = os.fstat(handle).st_size
        written = os.write(handle, data)
        if written != len(data):
            os.ftruncate(handle, before)
            raise OSError(f"{path}: only {written} of {len(data)} bytes could be written")
    finally:
        os.close(handle)
