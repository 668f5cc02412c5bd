"""CPU microseconds a call of `report.log`, each record handed to the operating system."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Row, best
from starforge import report

CALLS = 10_000


def run() -> Iterator[Row]:
    """Log one and ten values a call."""
    for width in (1, 10):
        values = {f"train/m{i}": 0.123456789 * i for i in range(width)}
        few, many = (
            best(lambda calls=calls, values=values: _microseconds(values, calls), runs=5)
            for calls in (CALLS, 10 * CALLS)
        )
        yield Row(
            "report_log", f"{width} values a call", few, "CPU us/call",
            at_most=20, tenfold=many, work=f"{10 * CALLS:,} calls",
        )  # fmt: skip


def _microseconds(values: dict[str, float], calls: int) -> float:
    with tempfile.TemporaryDirectory() as folder, report.init(dir=Path(folder) / "run"):
        start = time.process_time()
        for step in range(calls):
            report.log(values, step=step)
        return (time.process_time() - start) / calls * 1e6
