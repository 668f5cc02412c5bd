"""Plain lines for a watched job: what changed, and how it goes every few seconds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from starforge.cli.output import number, say, state_name
from starforge.wire.metrics import Curve

if TYPE_CHECKING:
    from starforge.cli.watch import Watched

EVERY = 5.0  # seconds between two lines of progress


def curve_points(curve: Curve) -> list[float]:
    """Return the values of a curve; what is not finite as NaN."""
    return [float("nan") if value is None else value for value in curve.value]


class Lines:
    """Prints a state when it changes, progress and metrics when they do."""

    def __init__(self, state: Watched) -> None:
        self._state = state
        self._said_state: tuple[str, str | None] | None = None
        self._said_progress = ""
        self._next = 0.0

    def update(self, *, last: bool = False) -> None:
        """Print what there is to say now; ``last`` does not wait for the next turn."""
        job = self._state.job
        now = (job.state, job.message)
        if now != self._said_state:
            self._said_state = now
            # The whole message, with the last lines of the log, comes at the end.
            why = f": {job.message.splitlines()[0]}" if job.message else ""
            say(f"{_clock()} {state_name(job.state)}{why}")
        if last or time.monotonic() >= self._next:
            text = self._progress()
            if text and text != self._said_progress:
                self._said_progress = text
                self._next = time.monotonic() + EVERY
                say(f"{_clock()} {text}")

    def _progress(self) -> str:
        from starforge.cli.job_view import progress_text

        latest = [
            f"{name} {number(points[-1])}"
            for name, points in list(self._state.curves.items())
            if points
        ]
        return "  ".join(part for part in (progress_text(self._state.job), *latest) if part)


def _clock() -> str:
    return time.strftime("%H:%M:%S")
