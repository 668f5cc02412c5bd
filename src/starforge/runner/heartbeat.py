"""Tell the server every two seconds that the job is alive, and hear whether to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable

from starforge.runner.journal import Journal
from starforge.runner.server import IngestServer, RefusedError, ServerAwayError
from starforge.runner.status import Status

INTERVAL = 2.0


class Heartbeat:
    """A thread apart from shipping, so that a slow upload never looks like a dead job."""

    def __init__(
        self,
        server: IngestServer,
        status: Status,
        journal: Journal,
        on_stop: Callable[[], None],
        interval: float = INTERVAL,
    ) -> None:
        self._server = server
        self._status = status
        self._journal = journal
        self._on_stop = on_stop
        self._interval = interval
        self._beat = threading.Event()
        self._quit = False
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def beat(self) -> None:
        """Beat now instead of at the next interval."""
        self._beat.set()

    def close(self, timeout: float = 3.0) -> None:
        """Beat once more, with the final status, and end; waits ``timeout`` at most."""
        self._quit = True
        self._beat.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            last = self._quit
            self._once()
            if last:
                break
            self._beat.wait(self._interval)
            self._beat.clear()
        self._server.close()

    def _once(self) -> None:
        try:
            if self._server.heartbeat(self._status.current()) == "stop":
                self._on_stop()
        except ServerAwayError:
            pass  # no error: the job goes on, and the server reads the folder later
        except RefusedError as error:
            self._journal.say(f"the server refuses heartbeats: {error}", once=True)
