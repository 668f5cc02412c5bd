"""Append records to this process's own files, each at once; see `starforge.report`.

Standard library only: this file is copied into foreign environments.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.lang import t

FLUSH_SECONDS = 0.5
_STEPS_ONLY = "report"  # in `by` of a progress.json: nobody said how far it goes
_MAX_PENDING = 64 * 1024 * 1024  # bytes that wait for room, for each file


class Writer:
    """Appends records to files of this process; a thread writes progress and what waited.

    A record is one write to the operating system before `add` returns, so a process that
    is killed loses none. What the disk refuses waits in memory, in order, until the thread
    finds room for it.
    """

    def __init__(self, directory: Path, total: int | None) -> None:
        self._dir = directory
        self._total = total
        self._progress: int | None = None
        self.step = 0
        self._warned = False
        self._dropped = 0
        self._handles: dict[str, int] = {}
        self._reset()
        _writers.add(self)

    def _reset(self) -> None:
        """Begin anew in this process: nothing waits, no file open, no thread, no lock held."""
        for handle in self._handles.values():
            with suppress(OSError):
                os.close(handle)
        self._handles = {}
        self._pending: dict[str, bytearray] = {}
        self._lock = threading.RLock()  # a signal handler may report, too
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False
        rank = os.environ.get("RANK") or os.environ.get(layout.ENV_RANK) or "0"
        self._file = f"report-{rank}-{os.getpid()}.jsonl"

    after_fork = _reset

    def add(self, folder: str, record: dict[str, Any]) -> None:
        """Append a record to a file in ``folder`` (or to ``artifacts.jsonl``).

        Raises:
            Exception: the record can't be encoded.
        """
        line = encode(record)
        with self._lock:
            if self._closed:
                self.drop("the run has ended")
                return
            self._append(folder, line)
            if self._thread is None:
                with suppress(RuntimeError):  # the interpreter is ending: no threads any more
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
        """Write what waited for room, and the progress; what is refused again waits on."""
        with self._lock:
            waited = sum(map(len, self._pending.values()))
            for folder in list(self._pending):
                rest = self._write(folder, bytes(self._pending.pop(folder)))
                if rest:
                    self._pending[folder] = bytearray(rest)
            if waited and not self._pending:
                warn(f"room again: {waited} bytes that waited are written",
                     f"磁盘空间已恢复：此前等待的 {waited} 字节已写入")  # fmt: skip
        self._write_progress()

    def close(self) -> None:
        """Write everything and take no more."""
        self.flush()
        with self._lock:
            self._closed = True
            self._dropped += sum(data.count(b"\n") for data in self._pending.values())
            for handle in self._handles.values():
                with suppress(OSError):
                    os.close(handle)
            self._handles.clear()
        self._wake.set()
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
            with suppress(OSError):
                scratch.unlink()
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

    def _append(self, folder: str, line: bytes) -> None:
        """Append a line, or let it wait behind those that wait already (lock held)."""
        waiting = self._pending.get(folder)
        if waiting is not None:
            if len(waiting) + len(line) > _MAX_PENDING:
                self.drop("too much waits for room on the disk")
            else:
                waiting += line
            return
        rest = self._write(folder, line)
        if rest:
            self._pending[folder] = bytearray(rest)

    def _write(self, folder: str, data: bytes) -> bytes:
        """Append data to its file; return what the disk has no room for."""
        try:
            handle = self._handles.get(folder)
            if handle is None:
                handle = self._handles[folder] = self._open(folder)
            written = os.write(handle, data)
            while written < len(data):  # the disk filled up in the middle
                data = data[written:]
                written = os.write(handle, data)
        except OSError as error:
            if not self._warned:
                self._warned = True
                warn(f"waiting for room: {error}", f"等待磁盘空间：{error}")
            return data
        return b""

    def _open(self, folder: str) -> int:
        where = folder if folder == layout.ARTIFACTS else f"{folder}/{self._file}"
        path = self._dir / where
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def _write_progress(self) -> None:
        if self.step == self._progress or not self._is_ours():
            return
        now: dict[str, Any] = {"step": self.step, "total": self._total, "time": time.time()}
        if self._total is None:
            now["by"] = _STEPS_ONLY
        self.replace(layout.PROGRESS, now)
        self._progress = self.step

    def _is_ours(self) -> bool:
        """Say whether the progress is for this process to write.

        A script that said how far it goes is always heard. One that only reports steps gives
        way to whoever else writes the file: a reward function may report beside a trainer.
        """
        if self._total is not None:
            return True
        if self.step == 0:
            return False
        try:
            known = json.loads((self._dir / layout.PROGRESS).read_bytes())
        except FileNotFoundError:
            return True
        except (OSError, ValueError):
            return False
        return isinstance(known, dict) and known.get("by") == _STEPS_ONLY


_writers: weakref.WeakSet[Writer] = weakref.WeakSet()


def _after_fork() -> None:
    for writer in list(_writers):
        writer.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _plain(value: Any) -> Any:
    """Turn what JSON does not know (numbers and arrays of NumPy, PyTorch) into what it does."""
    for method in ("item", "tolist"):
        with suppress(Exception):
            return getattr(value, method)()
    try:
        return float(value)
    except Exception:
        return str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)


def encode(record: Any) -> bytes:
    """Return a record as one JSON line; what JSON does not know becomes a number or a text."""
    return _ENCODER.encode(record).encode("utf-8", "replace") + b"\n"


def warn(en: str, zh: str) -> None:
    """Say one line on stderr in the language of this process."""
    with suppress(Exception):
        sys.stderr.write(f"starforge.report: {t(en, zh)}\n")
