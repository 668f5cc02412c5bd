"""Metric chunks: bytes a point, CPU seconds of appending, reading down to buckets."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.harness import Row, best, seconds
from starforge.plan import LaunchPlan, Policies, Resources
from starforge.server.store import curves, jobs, scalars
from starforge.server.store.database import Database
from starforge.server.store.records import NewJob

POINTS = 1_000_000
BATCH = 10_000
WORK = f"{10 * POINTS:,} points"


class Figures(NamedTuple):
    """What one curve of some length costs."""

    append: float  # points a CPU second
    whole: float  # milliseconds
    window: float  # milliseconds
    size: float  # bytes a point


def run() -> Iterator[Row]:
    """Write a noisy falling loss as a job would, then read it as the console would."""
    one, ten = measure(POINTS), measure(10 * POINTS)
    yield Row(
        "curves", "append, points per CPU second", one.append, "points/CPU s",
        tenfold=ten.append, work=WORK,
    )  # fmt: skip
    yield Row(
        "curves", f"{POINTS:,} points to 1,000 buckets", one.whole, "ms",
        at_most=100, tenfold=ten.whole, work=WORK,
    )  # fmt: skip
    yield Row(
        "curves", "zoom into 1,000 of them", one.window, "ms",
        at_most=20, tenfold=ten.window, work=WORK,
    )  # fmt: skip
    yield Row(
        "curves", "on disk, everything included", one.size, "bytes/point",
        at_most=12, tenfold=ten.size, work=WORK,
    )  # fmt: skip


def measure(points: int) -> Figures:
    """Append and read one curve; values and times have all the digits of a real run."""
    with tempfile.TemporaryDirectory() as folder:
        db = Database.open(Path(folder) / "bench.db")
        with db.write() as tx:
            job, _ = jobs.create(tx, new_job())
        took = append(db, job.id, points)
        whole = best(lambda: _read(db, job.id, None, None)) * 1000
        middle = points // 2
        window = best(lambda: _read(db, job.id, middle, middle + 999)) * 1000
        db.close()
        size = sum(p.stat().st_size for p in Path(folder).iterdir())
    return Figures(points / took, whole, window, size / points)


def append(db: Database, job_id: str, points: int) -> float:
    """Append a noisy falling ``train/loss``; return the CPU seconds of appending alone."""
    rng = np.random.default_rng(0)
    took, clock = 0.0, 1.7e9
    for lo in range(0, points, BATCH):
        steps = np.arange(lo, lo + BATCH)
        values = 5 * np.exp(-steps / (points / 5)) + 0.1 * rng.standard_normal(BATCH)
        times = clock + np.cumsum(rng.uniform(0.1, 0.3, BATCH))
        clock = float(times[-1])
        columns = (steps.tolist(), times.tolist(), values.tolist())
        start = time.process_time()
        with db.write() as tx:
            scalars.append(tx, job_id, 0, {"train/loss": columns})
        took += time.process_time() - start
    return took


def new_job(name: str = "bench", **more: Any) -> NewJob:
    """Return a job with a plan that starts nothing."""
    plan = LaunchPlan(
        method="custom/custom", framework="custom", version="1.0.0", recipe_digest="",
        contract_digest="", runtime=None, processes=[], files=[], config={}, differs=[],
        checkpoints=None, metrics=[], inputs=[], resources=Resources(), policies=Policies(),
    )  # fmt: skip
    spec = {"plan_digest": "", "experiment": {}, "bundle": None, "token_hash": ""}
    return NewJob(name=name, plan=plan, **spec | more)


def _read(db: Database, job_id: str, lo: int | None, hi: int | None) -> float:
    def work() -> None:
        with db.read() as tx:
            curves.read(tx, job_id, ["train/loss"], buckets=1000, lo=lo, hi=hi)

    return seconds(work)
