"""Wake the main loop from a signal handler or from another thread."""

from __future__ import annotations

import contextlib
import selectors
import signal
import socket


class Wake:
    """A waitable flag. Unlike `threading.Event` it may be set inside a signal handler."""

    def __init__(self) -> None:
        self._receive, self._send = socket.socketpair()
        self._receive.setblocking(False)
        self._send.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._receive, selectors.EVENT_READ)

    def on_signals(self) -> None:
        """Have every handled signal of this process wake it (main thread only)."""
        signal.set_wakeup_fd(self._send.fileno(), warn_on_full_buffer=False)

    def set(self) -> None:
        """Wake the waiter now or at its next wait."""
        with contextlib.suppress(OSError):  # full: it is awake anyway
            self._send.send(b"\0")

    def wait(self, timeout: float) -> bool:
        """Wait until set, at most ``timeout`` seconds; say whether it was set."""
        if not self._selector.select(max(timeout, 0.0)):
            return False
        with contextlib.suppress(OSError):
            while self._receive.recv(4096):
                pass
        return True

    def close(self) -> None:
        """Free it; call when no other thread uses it any more."""
        self._selector.close()
        self._receive.close()
        self._send.close()
