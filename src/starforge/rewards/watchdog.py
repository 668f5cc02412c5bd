"""Hold calls to a time limit, whatever they do.

A helper process keeps the time: this process may be stuck where no thread of it can run (a
regular expression that never ends). At the limit the helper sends a signal, and a call in the
main thread is left with :class:`LateError` at once, one in another thread at its next line of
Python. When neither happens within ``GRACE`` seconds, the helper writes down why and kills the
process.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

GRACE = 5.0
HELPER = Path(__file__).with_name("watchdog_helper.py")
# One that nothing else uses; a program may use SIGALRM itself, as math-verify does.
_SIGNAL = int(signal.SIGRTMIN) + 7 if hasattr(signal, "SIGRTMIN") else 0


class LateError(BaseException):
    """The call took longer than it may. No ``Exception``, so that the call doesn't swallow it."""


class _Call(NamedTuple):
    thread: int
    due: float  # of time.monotonic


class Watchdog:
    """Keeps the time of calls, also of several at once.

    ``reason`` is said, and written to ``place``, when the process has to be killed.
    """

    def __init__(self, seconds: float, reason: str, place: Path | None = None) -> None:
        self.seconds = seconds
        self._reason = reason
        self._place = place
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._lock = threading.RLock()  # a signal may come while this thread holds it
        self._numbers = itertools.count(1)
        self._calls: dict[int, _Call] = {}
        _watchdogs.append(self)
        _listen()  # calls may come in other threads, which can't arrange it

    @contextlib.contextmanager
    def watch(self) -> Iterator[None]:
        """Watch over the body; raises :class:`LateError` in it."""
        number = next(self._numbers)
        with self._lock:
            self._start()
            self._calls[number] = _Call(threading.get_ident(), time.monotonic() + self.seconds)
            self._tell(f"begin {number} {self.seconds}")
        try:
            yield
        finally:
            with self._lock:
                self._calls.pop(number, None)
                self._tell(f"end {number}")

    def close(self) -> None:
        """End the helper."""
        if self._process is not None and self._owner == os.getpid():
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()
        self._process, self._owner = None, 0
        if self in _watchdogs:
            _watchdogs.remove(self)

    def stop_late(self) -> None:
        """End the calls whose time is up; that of the main thread last, by raising here."""
        now = time.monotonic() + 0.05
        with self._lock:
            late = {n: call for n, call in self._calls.items() if call.due <= now}
            for number in late:
                del self._calls[number]
            threads = {call.thread for call in late.values()}
        for thread in threads - {threading.get_ident()}:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread), ctypes.py_object(LateError)
            )
        if threading.get_ident() in threads:
            raise LateError

    def _start(self) -> None:
        """Start the helper, once in each process (this one may have been forked)."""
        if self._owner == os.getpid():
            return
        self._owner = os.getpid()
        self._calls.clear()
        number = _SIGNAL if _listen() else 0
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(HELPER), str(self._owner), str(number), str(GRACE),
             self._reason, str(self._place or "")],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def _tell(self, line: str) -> None:
        assert self._process is not None and self._process.stdin is not None
        with contextlib.suppress(OSError):  # a helper that is gone watches no more
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()


_watchdogs: list[Watchdog] = []


def _listen() -> bool:
    """Answer the helper's signal; only the main thread can arrange that."""
    if not _SIGNAL:
        return False
    with contextlib.suppress(ValueError):
        if signal.getsignal(_SIGNAL) is signal.SIG_DFL:
            signal.signal(_SIGNAL, _on_signal)
    return signal.getsignal(_SIGNAL) is _on_signal


def _on_signal(_number: int, _frame: object) -> None:
    for watchdog in _watchdogs:
        watchdog.stop_late()
