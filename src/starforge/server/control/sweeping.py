"""Has sweeps moved on, as pipelines are."""

from __future__ import annotations

from starforge.server.control.pipelining import Pipelining
from starforge.server.services import sweep_runs


class Sweeping(Pipelining):
    """Keeps at most one pass over a sweep going."""

    def _advance(self, ident: str) -> None:
        sweep_runs.advance(self._core, ident)
