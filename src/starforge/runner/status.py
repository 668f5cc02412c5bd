"""``status.json``: how the attempt is doing, and how it ended."""

from __future__ import annotations

import errno
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.runner.files import read_json, write_json
from starforge.runner.journal import Journal
from starforge.runner.texts import Said

TERMINAL = ("succeeded", "failed", "stopped")


@dataclass(frozen=True)
class Ending:
    """How an attempt ends: its final state, the stable reason, and that in words."""

    state: str
    reason: str
    said: Said
    exit_code: int | None = None


class Status:
    """The attempt's status, kept in memory and on disk; safe from every thread.

    ``no_room`` says that it could not be written because the disk is full.
    """

    def __init__(self, attempt_dir: Path, journal: Journal) -> None:
        self._path = attempt_dir / layout.STATUS
        self._progress_path = attempt_dir / layout.PROGRESS
        self._journal = journal
        self._lock = threading.Lock()
        self._progress_seen: tuple[int, int] | None = None
        self.no_room = False
        now = time.time()
        self._fields: dict[str, Any] = {
            "state": "starting",
            "reason": None,
            "message": None,
            "message_zh": None,
            "started_at": now,
            "ended_at": None,
            "updated_at": now,
            "exit_code": None,
            "pid": os.getpid(),
            "progress": {"step": None, "total": None},
        }

    def current(self) -> dict[str, Any]:
        """Return a copy of the status, as heartbeats send it."""
        with self._lock:
            return dict(self._fields)

    def state(self, state: str, ending: Ending | None = None) -> bool:
        """Change the state and write it; ``ending`` gives reason and message.

        Returns whether it reached the disk.
        """
        with self._lock:
            self._fields["state"] = state
            if ending is not None:
                self._fields["reason"] = ending.reason
                self._fields["message"] = ending.said.en
                self._fields["message_zh"] = ending.said.zh
                self._fields["exit_code"] = ending.exit_code
            if state in TERMINAL:
                # Never before the start, whatever became of the wall clock meanwhile.
                self._fields["ended_at"] = max(time.time(), self._fields["started_at"])
            return self._write()

    def refresh(self) -> None:
        """Take over the job's progress and write if it has changed."""
        seen = self._stamp()
        if seen is None or seen == self._progress_seen:
            return
        self._progress_seen = seen
        progress = read_json(self._progress_path)
        if isinstance(progress, dict):
            with self._lock:
                self._fields["progress"] = {k: _whole(progress.get(k)) for k in ("step", "total")}
                self._write()

    def _stamp(self) -> tuple[int, int] | None:
        try:
            stat = self._progress_path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_ino

    def _write(self) -> bool:
        self._fields["updated_at"] = time.time()
        try:
            write_json(self._path, self._fields)
        except OSError as error:
            self.no_room = error.errno in (errno.ENOSPC, errno.EDQUOT)
            self._journal.say(f"{layout.STATUS} could not be written: {error}", once=True)
            return False
        self.no_room = False
        return True


def _whole(value: Any) -> int | None:
    """Return a JSON number as a whole number, anything else as ``None``."""
    return int(value) if isinstance(value, (int, float)) and abs(value) < 1e18 else None
