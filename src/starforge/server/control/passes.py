"""Has pipelines, sweeps and follow-ups moved on, beside the reconciler's own steps.

A pass that fails for an unexpected reason (a full disk, say) is tried for as long as it takes,
ever less often, and told again only when the reason is another.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass

import structlog

log = structlog.get_logger("starforge.control")

PACE = 1.0  # seconds between looks at what runs, and after a first failure
SOON = 0.1  # until a pass that runs is looked at again
LONGEST_WAIT = 30.0
IDLE = 30.0


@dataclass
class _Pass:
    """One of the things: the pass that runs, and how the ones before went."""

    work: Future[None] | None = None
    failures: int = 0
    told: str = ""
    not_before: float = 0.0  # of the monotonic clock


class Passes:
    """Keeps at most one pass over each of some things going.

    ``advance`` makes one pass over the thing with an id, ``what`` names their kind in the log,
    and ``pace`` is how long it stays alone after a pass that went well.
    """

    def __init__(
        self, pool: Executor, advance: Callable[[str], None], what: str, *, pace: float = PACE
    ) -> None:
        self._pool = pool
        self._advance = advance
        self._what = what
        self._pace = pace
        self._passes: dict[str, _Pass] = {}

    def step(self, running: list[str]) -> float:
        """Look after those that run; return the seconds until the next look."""
        for ident in self._passes.keys() - set(running):
            del self._passes[ident]
        return min([IDLE, *(self._look_after(ident) for ident in running)])

    def _look_after(self, ident: str) -> float:
        one = self._passes.setdefault(ident, _Pass())
        if one.work is not None:
            if not one.work.done():
                return SOON
            self._settle(ident, one, one.work.exception())
        wait = one.not_before - time.monotonic()
        if wait > 0:
            return wait
        one.work = self._pool.submit(self._advance, ident)
        return SOON

    def _settle(self, ident: str, one: _Pass, error: BaseException | None) -> None:
        one.work = None
        if error is None:
            one.failures, one.told = 0, ""
            one.not_before = time.monotonic() + self._pace
            return
        one.not_before = time.monotonic() + min(PACE * 2.0**one.failures, LONGEST_WAIT)
        one.failures = min(one.failures + 1, 16)
        if repr(error) != one.told:
            one.told = repr(error)
            log.error("a pass failed; trying again", of=self._what, id=ident, exc_info=error)
