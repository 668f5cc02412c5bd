"""Has pipelines moved on, beside the reconciler's own steps.

A pass that fails for an unexpected reason (a full disk, say) is tried for as long as it takes,
ever less often, and told again only when the reason is another.
"""

from __future__ import annotations

import time
from concurrent.futures import Executor, Future
from dataclasses import dataclass

import structlog

from starforge.server.core import Core
from starforge.server.services import pipeline_runs

log = structlog.get_logger("starforge.control")

PACE = 1.0  # seconds between looks at a pipeline that runs
SOON = 0.1  # until a pass that runs is looked at again
LONGEST_WAIT = 30.0
IDLE = 30.0


@dataclass
class _Pass:
    """One pipeline: the pass that runs, and how the ones before went."""

    work: Future[None] | None = None
    failures: int = 0
    told: str = ""
    not_before: float = 0.0  # of the monotonic clock


class Pipelining:
    """Keeps at most one pass over a pipeline going."""

    def __init__(self, core: Core, pool: Executor) -> None:
        self._core = core
        self._pool = pool
        self._passes: dict[str, _Pass] = {}

    def step(self, running: list[str]) -> float:
        """Look after the pipelines that run; return the seconds until the next look."""
        for ident in self._passes.keys() - set(running):
            del self._passes[ident]
        return min([IDLE, *(self._look_after(ident) for ident in running)])

    def _look_after(self, ident: str) -> float:
        one = self._passes.setdefault(ident, _Pass())
        if one.work is not None:
            if not one.work.done():
                return SOON
            self._settle(ident, one)
        wait = one.not_before - time.monotonic()
        if wait > 0:
            return wait
        one.work = self._pool.submit(self._advance, ident)
        return SOON

    def _advance(self, ident: str) -> None:
        pipeline_runs.advance(self._core, ident)

    @staticmethod
    def _settle(ident: str, one: _Pass) -> None:
        assert one.work is not None
        error = one.work.exception()
        one.work = None
        one.failures = 0 if error is None else min(one.failures + 1, 16)
        wait = min(PACE * 2.0 ** max(one.failures - 1, 0), LONGEST_WAIT)
        one.not_before = time.monotonic() + wait
        if error is None:
            one.told = ""
        elif repr(error) != one.told:
            one.told = repr(error)
            log.error("a pipeline can't be moved on; trying again", pipeline=ident, exc_info=error)
