"""Small curves for lists: the first primary metric of each job in a few values."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

from starforge.server.core import Core
from starforge.server.services.views import finite
from starforge.server.store import curves
from starforge.server.store.database import Tx
from starforge.server.store.records import JobSummary

POINTS = 32
_KEPT = 4096

Line = list[float | None]


class Sparklines:
    """Curves by job, read again only when a job's last values or step have changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], tuple[object, Line]] = OrderedDict()

    def of(self, core: Core, tx: Tx, rows: Iterable[JobSummary]) -> dict[str, Line]:
        """Return the curves of jobs; those without a value yet are left out."""
        home = str(core.settings.home)
        found: dict[str, Line] = {}
        for row in rows:
            if row.headline:
                found[row.id] = self._line(home, tx, row)
        return found

    def _line(self, home: str, tx: Tx, row: JobSummary) -> Line:
        mark = (row.current_attempt, row.progress_step, row.headline)
        with self._lock:
            known = self._known.get((home, row.id))
        if known is not None and known[0] == mark:
            return known[1]
        line = _read(tx, row.id, next(iter(row.headline)))
        with self._lock:
            self._known[home, row.id] = (mark, line)
            self._known.move_to_end((home, row.id))
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return line


def _read(tx: Tx, job_id: str, metric: str) -> Line:
    curve = curves.read(tx, job_id, [metric], buckets=POINTS).get(metric)
    return [] if curve is None else [finite(value) for value in curve.value.tolist()]


SPARKLINES = Sparklines()
