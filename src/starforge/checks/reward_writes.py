"""The first file elsewhere that a reward writes while it is tried.

Stand-alone and of the standard library only: :mod:`starforge.checks.reward_trial` loads it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate")
_NOBODYS = ("/dev/", "/proc/")


class Writes:
    """Watches what this process opens to write; its working folder is the trial's own."""

    def __init__(self) -> None:
        places = (os.getcwd(), tempfile.gettempdir())  # noqa: PTH109 - paths are compared as text
        self._own = (*_NOBODYS, *(os.path.realpath(place) + os.sep for place in places))
        self.first: str | None = None
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.first is not None:
            return
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITING:
                self._note(path)
        elif event in _CHANGING:
            self._note(arguments[0])

    def _note(self, path: Any) -> None:
        if isinstance(path, str | bytes | os.PathLike):  # else an open descriptor
            place = os.path.realpath(os.fsdecode(path))
            if not (place + os.sep).startswith(self._own):
                self.first = place
