"""Ship what the job writes, by byte offset; the server alone keeps the offsets."""

from __future__ import annotations

import threading
import time
from enum import Enum

from starforge.runner.journal import Journal
from starforge.runner.server import IngestServer, RefusedError, ServerAwayError, delay
from starforge.runner.tail import StreamFile, Tail

CHUNK = 4 * 1024 * 1024
_SMALLEST_CHUNK = 64 * 1024
_INTERVAL = 1.0
_LONGEST_DELAY = 10.0
_LONGEST_FINAL_DELAY = 2.0
_PASS_SECONDS = 2.0
_REFUSED_PAUSE = 30.0


class Step(Enum):
    """What became of sending one chunk."""

    MORE = "more"
    ALL = "all"


class Shipper:
    """A thread that ships all streams of an attempt until it is told that no more come."""

    def __init__(self, tail: Tail, server: IngestServer, journal: Journal) -> None:
        self._tail = tail
        self._server = server
        self._journal = journal
        self._offsets: dict[str, int] | None = None
        self._sent: dict[str, int] = {}
        self._refused: dict[str, float] = {}
        self._chunk = CHUNK
        self._failures = 0
        self._final = False
        self._quit = False
        self._wake = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ship", daemon=True)

    def start(self) -> None:
        """Begin to ship."""
        self._thread.start()

    def finish(self) -> None:
        """Say that nothing is written any more: `done` comes when all was taken."""
        self._final = True
        self._wake.set()

    @property
    def done(self) -> bool:
        """Whether the server has everything it can take (only after `finish`)."""
        return self._done.is_set()

    def close(self, timeout: float = 2.0) -> None:
        """End the thread, whatever is left."""
        self._quit = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        while not self._quit:
            final = self._final  # read first: what was written before it is in this turn
            caught_up, wait = self._turn()
            if caught_up and final:
                self._done.set()
                break
            if wait and final == self._final:
                self._wake.wait(wait)
            self._wake.clear()
        self._server.close()

    def _turn(self) -> tuple[bool, float]:
        """Ship once; return whether all was sent, and the seconds to wait."""
        try:
            if self._offsets is None:
                self._offsets = self._server.offsets()
                self._sent.clear()
            caught_up = self._pass(self._offsets)
        except (ServerAwayError, RefusedError) as error:
            return False, self._away(error)
        if self._failures:
            self._journal.say(f"the server is back after {self._failures} tries")
        self._failures = 0
        return caught_up, _INTERVAL if caught_up else 0.0

    def _away(self, error: Exception) -> float:
        if self._failures == 0:
            self._journal.say(f"the server does not take streams: {error}")
        self._failures += 1
        self._offsets = None
        return delay(self._failures, _LONGEST_FINAL_DELAY if self._final else _LONGEST_DELAY)

    def _pass(self, offsets: dict[str, int]) -> bool:
        """Send chunks in turn so that no stream waits for a long one; say if all was sent."""
        deadline = time.monotonic() + _PASS_SECONDS
        pending = self._tail.scan()
        while pending:
            left = []
            for file in pending:
                if self._quit:
                    return False
                if self._send(file, offsets) is Step.MORE:
                    left.append(file)
            pending = left
            if pending and time.monotonic() > deadline:
                return False
        return True

    def _send(self, file: StreamFile, offsets: dict[str, int]) -> Step:
        """Send the next chunk of a file, if there is anything new in it."""
        offset = offsets.get(file.path, 0)
        if file.size < offset:
            self._journal.say(f"{file.path} is shorter than what was shipped of it", once=True)
        if file.size <= max(offset, self._sent.get(file.path, 0)):
            return Step.ALL
        if self._refused.get(file.path, 0.0) > time.monotonic():
            return Step.ALL
        try:
            data = self._tail.read(file.path, offset, min(self._chunk, file.size - offset))
        except OSError as error:
            self._journal.say(f"{file.path} can't be read: {error}", once=True)
            return Step.ALL
        if not data:
            return Step.ALL
        try:
            taken, now = self._server.put(file.path, file.format, offset, data)
        except RefusedError as error:
            return self._refuse(file, error)
        return self._account(file, offsets, offset + len(data), taken=taken, now=now)

    def _account(
        self, file: StreamFile, offsets: dict[str, int], sent: int, *, taken: bool, now: int
    ) -> Step:
        """Take over the server's offset after an answer."""
        before = offsets.get(file.path, 0)
        offsets[file.path] = now
        if not taken:
            self._sent.pop(file.path, None)
            return Step.MORE if now != before else Step.ALL
        if now > before and now < file.size and sent < file.size:
            return Step.MORE
        # What the server left is a record cut in half: send it again when there is more.
        self._sent[file.path] = sent
        return Step.ALL

    def _refuse(self, file: StreamFile, error: RefusedError) -> Step:
        if error.status == 413 and self._chunk > _SMALLEST_CHUNK:
            self._chunk //= 2
            return Step.MORE
        if error.status in (401, 403, 404, 410):
            raise error  # about the job or its token, not about this stream
        self._journal.say(f"the server refuses {file.path}: {error}", once=True)
        self._refused[file.path] = time.monotonic() + _REFUSED_PAUSE
        return Step.ALL
