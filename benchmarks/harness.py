"""What every benchmark shares: a result row, CPU seconds of a command, medians."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """One measured figure; ``goal`` says what it is held against, in words."""

    benchmark: str
    what: str
    value: float
    unit: str
    goal: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return the row for JSON."""
        return asdict(self)


def cpu_seconds(argv: Sequence[str], env: Mapping[str, str] | None = None) -> float:
    """Return user plus system seconds of one run of ``argv`` and its children.

    Bytecode may be cached, as on any machine that uses the command more than once.
    """
    own = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=own | dict(env or {}))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def median(measure: Callable[[], float], runs: int = 7) -> float:
    """Return the median of ``runs`` measurements after one that warms caches up."""
    measure()
    return statistics.median(measure() for _ in range(runs))
