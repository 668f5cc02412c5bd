"""Microseconds a call of `report.log`, flushes included."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Row, median
from starforge import report

CALLS = 50_000


def run() -> Iterator[Row]:
    """Log one and ten values a call."""
    for width in (1, 10):
        values = {f"train/m{i}": 0.1 * i for i in range(width)}
        took = median(lambda values=values: _seconds(values), runs=3)
        yield Row("report_log", f"{width} values a call", took / CALLS * 1e6, "us", "at most 20 us")


def _seconds(values: dict[str, float]) -> float:
    with tempfile.TemporaryDirectory() as folder, report.init(dir=Path(folder) / "run"):
        start = time.perf_counter()
        for step in range(CALLS):
            report.log(values, step=step)
        return time.perf_counter() - start
