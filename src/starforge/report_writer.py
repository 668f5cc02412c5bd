"""Queue records and append them to this process's own files; see `starforge.report`.

Standard library only: this file is copied into foreign environments.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import weakref
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.lang import t

FLUSH_SECONDS = 0.5
_MAX_QUEUED = 200_000
_MAX_PENDING = 64 * 1024 * 1024


class Writer:
    """Queues records and appends them to files of this process from a background thread."""

    def __init__(self, directory: Path, total: int | None) -> None:
        self._dir = directory
        self._total = total
        self._progress: int | None = None
        self.step = 0
        self._warned = False
        self._dropped = 0
        self._reset()
        _writers.add(self)

    def _reset(self) -> None:
        """Begin anew in this process: nothing queued, no thread, no lock held."""
        self._queue: deque[tuple[str, dict[str, Any]]] = deque()
        self._pending: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False
        rank = os.environ.get("RANK") or os.environ.get(layout.ENV_RANK) or "0"
        self._file = f"report-{rank}-{os.getpid()}.jsonl"

    after_fork = _reset

    def add(self, folder: str, record: dict[str, Any]) -> None:
        """Queue a record for a file in ``folder`` (or for ``artifacts.jsonl``)."""
        if self._closed:
            self.drop("the run has ended")
        elif len(self._queue) >= _MAX_QUEUED:
            self.drop("the disk is too slow")
        else:
            self._queue.append((folder, record))
            if self._thread is None:
                self._start()

    def drop(self, why: object) -> None:
        """Count something that could not be reported; the first is said on stderr."""
        self._dropped += 1
        if not self._warned:
            self._warned = True
            warn(
                f"not everything could be reported: {why}",
                f"有内容未能上报：{why}",
            )

    def flush(self) -> None:
        """Write everything queued; what the disk refuses stays for the next time."""
        with self._lock:
            while self._queue:
                folder, record = self._queue.popleft()
                try:
                    line = encode(record)
                except Exception as error:
                    self.drop(error)
                    continue
                where = folder if folder == layout.ARTIFACTS else f"{folder}/{self._file}"
                self._pending[where] = self._pending.get(where, b"") + line
                if len(self._pending[where]) > 1 << 20:
                    self._write(where)
            for where in list(self._pending):
                self._write(where)
        self._write_progress()

    def close(self) -> None:
        """Write everything and take no more."""
        self.flush()
        self._closed = True
        self._wake.set()
        with suppress(OSError):
            if self._dropped:
                warn(f"{self._dropped} values were dropped", f"共丢弃 {self._dropped} 个值")

    def replace(self, name: str, value: Any) -> None:
        """Replace a small JSON file atomically."""
        path = self._dir / name
        scratch = path.with_name(f".{name}.{os.getpid()}.tmp")
        try:
            scratch.write_bytes(encode(value))
            scratch.replace(path)
        except Exception as error:
            self.drop(error)

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._loop, name="starforge-report", daemon=True)
        self._thread.start()
        # Children of multiprocessing end without atexit, but they run its finalizers.
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            util.Finalize(self, self.flush, exitpriority=0)

    def _loop(self) -> None:
        while not self._wake.wait(FLUSH_SECONDS):
            self.flush()

    def _write(self, where: str) -> None:
        data = self._pending.pop(where)
        path = self._dir / where
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                while data:
                    data = data[os.write(handle, data) :]
            finally:
                os.close(handle)
        except OSError as error:
            if len(data) < _MAX_PENDING:
                self._pending[where] = data
                if not self._warned:
                    self._warned = True
                    warn(f"waiting for room: {error}", f"等待磁盘空间：{error}")
            else:
                self.drop(error)

    def _write_progress(self) -> None:
        if self._total is not None and self.step != self._progress:
            self._progress = self.step
            now = {"step": self.step, "total": self._total, "time": time.time()}
            self.replace(layout.PROGRESS, now)


_writers: weakref.WeakSet[Writer] = weakref.WeakSet()


def _after_fork() -> None:
    for writer in list(_writers):
        writer.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def encode(record: Any) -> bytes:
    """Return a record as one JSON line; what JSON does not know becomes a number or a text."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8", "replace") + b"\n"


def _plain(value: Any) -> Any:
    """Turn what JSON does not know (numbers and arrays of NumPy, PyTorch) into what it does."""
    for method in ("item", "tolist"):
        with suppress(Exception):
            return getattr(value, method)()
    try:
        return float(value)
    except Exception:
        return str(value)


def warn(en: str, zh: str) -> None:
    """Say one line on stderr in the language of this process."""
    with suppress(Exception):
        sys.stderr.write(f"starforge.report: {t(en, zh)}\n")
