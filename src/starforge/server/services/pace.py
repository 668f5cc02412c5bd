"""How fast jobs go, by a clock that never jumps: for the time that is left."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_KEPT = 10_000


@dataclass
class _Pace:
    attempt: int
    first_step: int
    first_at: float
    step: int
    at: float


class Paces:
    """The steps of running jobs as this server saw them. Thread-safe.

    A restarted server knows the pace again after two steps. The pace is the mean since
    the first step that was seen of an attempt, so a restart or a resume begins anew.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._paces: OrderedDict[str, _Pace] = OrderedDict()

    def saw(self, job_id: str, attempt: int, step: int) -> None:
        """Note the step an attempt is at now."""
        now = self._clock()
        with self._lock:
            known = self._paces.get(job_id)
            if known is None or known.attempt != attempt or step < known.step:
                self._paces[job_id] = _Pace(attempt, step, now, step, now)
            elif step > known.step:
                known.step, known.at = step, now
            self._paces.move_to_end(job_id)
            while len(self._paces) > _KEPT:
                self._paces.popitem(last=False)

    def seconds_left(self, job_id: str, total: int) -> float | None:
        """Return the seconds until ``total`` at the pace so far; ``None`` when unknown."""
        with self._lock:
            known = self._paces.get(job_id)
            if known is None or known.step <= known.first_step or total < known.step:
                return None
            each = (known.at - known.first_at) / (known.step - known.first_step)
            since = self._clock() - known.at
        return max(0.0, each * (total - known.step) - since)


PACES = Paces()  # of this process, which is one server; ids of jobs are unique
