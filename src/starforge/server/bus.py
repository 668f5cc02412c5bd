"""What happens in the server, told to whoever listens in this process.

Threads publish, asyncio readers subscribe. Nothing is kept: a reader that is too slow is
told so by a ``gap`` message and reads the store again.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

LIMIT = 1000


@dataclass(frozen=True)
class Message:
    """``kind``: ``job``, ``deleted``, ``metrics``, ``stream``, ``event``, ``gap``; or ``task``,
    ``pipeline``, ``sweep``, whose id is ``data``.
    """

    kind: str
    job: str | None = None
    data: Any = None


class Subscription:
    """One reader's queue; used in the event loop that made it."""

    def __init__(self, wanted: Callable[[Message], bool], job: str | None) -> None:
        self._wanted = wanted
        self.job = job
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Message | None] = asyncio.Queue()

    def offer(self, message: Message | None) -> None:
        """Queue a message from any thread; ``None`` ends the subscription."""
        if message is None or self._wanted(message):
            with contextlib.suppress(RuntimeError):  # the loop is gone: so is the reader
                self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: Message | None) -> None:
        if message is not None and self._queue.qsize() >= LIMIT:
            while not self._queue.empty():
                self._queue.get_nowait()
            message = Message("gap")
        self._queue.put_nowait(message)

    async def get(self, timeout: float) -> Message | None:
        """Return the next message; ``Message('idle')`` after ``timeout`` seconds of silence.

        ``None`` means the server is shutting down.
        """
        try:
            return await asyncio.wait_for(self._queue.get(), timeout)
        except TimeoutError:
            return Message("idle")


class Bus:
    """Passes messages from threads to subscriptions and to plain listeners."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscriptions: set[Subscription] = set()
        self._listeners: list[Callable[[Message], None]] = []
        self._closed = False

    def listen(self, listener: Callable[[Message], None]) -> None:
        """Call ``listener`` (quick, thread-safe) with every message."""
        self._listeners.append(listener)

    def publish(self, kind: str, job: str | None = None, data: Any = None) -> None:
        """Tell everybody; never blocks."""
        message = Message(kind, job, data)
        for listener in self._listeners:
            listener(message)
        with self._lock:
            readers = list(self._subscriptions)
        for reader in readers:
            reader.offer(message)

    def has_readers(self, job: str) -> bool:
        """Say whether somebody follows this very job."""
        with self._lock:
            return any(reader.job == job for reader in self._subscriptions)

    @contextlib.contextmanager
    def subscribe(
        self, wanted: Callable[[Message], bool], job: str | None = None
    ) -> Iterator[Subscription]:
        """Open a subscription for the length of a ``with`` block; ``job``: the one followed."""
        reader = Subscription(wanted, job)
        with self._lock:
            self._subscriptions.add(reader)
        if self._closed:
            reader.offer(None)
        try:
            yield reader
        finally:
            with self._lock:
                self._subscriptions.discard(reader)

    def close(self) -> None:
        """End every subscription, so that open streams don't hold up a shutdown."""
        self._closed = True
        with self._lock:
            readers = list(self._subscriptions)
        for reader in readers:
            reader.offer(None)
