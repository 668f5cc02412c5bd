"""Has the jobs made that follow those that have succeeded, beside the reconciler's own steps.

What fails for an unexpected reason (a full disk, say) is tried for as long as it takes, ever
less often, and told again only when the reason is another.
"""

from __future__ import annotations

import time
from concurrent.futures import Executor, Future
from dataclasses import dataclass

import structlog

from starforge.server.core import Core
from starforge.server.services import follow_ups

log = structlog.get_logger()

SOON = 0.1  # seconds until a making that runs is looked at again
FIRST_WAIT = 1.0  # after the first failure; doubled with each further one
LONGEST_WAIT = 30.0
IDLE = 30.0


@dataclass
class _Making:
    """One job's follow-ups: the work that runs, and how it went before."""

    work: Future[None] | None = None
    failures: int = 0
    told: str = ""
    not_before: float = 0.0  # of the monotonic clock


class Following:
    """Keeps at most one making of a job's follow-ups going."""

    def __init__(self, core: Core, pool: Executor) -> None:
        self._core = core
        self._pool = pool
        self._makings: dict[str, _Making] = {}

    def step(self, due: list[str]) -> float:
        """Look after the jobs that are due; return the seconds until the next look."""
        for job_id in self._makings.keys() - set(due):
            del self._makings[job_id]
        return min([IDLE, *(self._look_after(job_id) for job_id in due)])

    def _look_after(self, job_id: str) -> float:
        making = self._makings.setdefault(job_id, _Making())
        if making.work is not None:
            if not making.work.done():
                return SOON
            self._settle(job_id, making)
        wait = making.not_before - time.monotonic()
        if wait > 0:
            return wait
        making.work = self._pool.submit(follow_ups.make, self._core, job_id)
        return SOON

    @staticmethod
    def _settle(job_id: str, making: _Making) -> None:
        assert making.work is not None
        error = making.work.exception()
        making.work = None
        if error is None:
            return
        wait = min(FIRST_WAIT * 2.0**making.failures, LONGEST_WAIT)
        making.failures = min(making.failures + 1, 16)
        making.not_before = time.monotonic() + wait
        if repr(error) != making.told:
            making.told = repr(error)
            log.error("making follow-ups failed; trying again", job=job_id, exc_info=error)
