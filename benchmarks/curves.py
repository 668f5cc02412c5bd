"""Metric chunks: bytes a point, CPU seconds of appending, reading down to buckets."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import Row, median
from starforge.plan import LaunchPlan, Policies, Resources
from starforge.server.store import curves, jobs, scalars
from starforge.server.store.database import Database
from starforge.server.store.records import NewJob

POINTS = 1_000_000
BATCH = 10_000


def run() -> Iterator[Row]:
    """Write a noisy falling loss as a job would, then read it as the console would."""
    rng = np.random.default_rng(0)
    steps = np.arange(POINTS)
    values = 5 * np.exp(-steps / 2e5) + 0.1 * rng.standard_normal(POINTS)
    times = 1.7e9 + np.cumsum(rng.uniform(0.1, 0.3, POINTS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        db = Database.open(path)
        with db.write() as tx:
            job, _ = jobs.create(tx, new_job())
        start = time.process_time()
        for lo in range(0, POINTS, BATCH):
            part = slice(lo, lo + BATCH)
            columns = (steps[part].tolist(), times[part].tolist(), values[part].tolist())
            with db.write() as tx:
                scalars.append(tx, job.id, 0, {"train/loss": columns})
        took = time.process_time() - start
        yield Row("curves", "append, points per CPU second", POINTS / took, "points/s")
        yield from _reads(db, job.id)
        db.close()
        size = sum(p.stat().st_size for p in Path(folder).iterdir())
        yield Row("curves", "on disk, all files", size / POINTS, "bytes/pt", "at most 12")


def new_job(name: str = "bench") -> NewJob:
    plan = LaunchPlan(
        method="custom/custom", framework="custom", version="1.0.0", recipe_digest="",
        contract_digest="", runtime=None, processes=[], files=[], config={}, differs=[],
        checkpoints=None, metrics=[], inputs=[], resources=Resources(), policies=Policies(),
    )  # fmt: skip
    return NewJob(name=name, plan=plan, plan_digest="", experiment={}, bundle=None, token_hash="")


def _reads(db: Database, job_id: str) -> Iterator[Row]:
    windows = (
        ("1,000,000 points to 1,000 buckets", None, None, "at most 100 ms"),
        ("window of 1,000 points", 500_000, 500_999, "at most 20 ms"),
    )
    for what, lo, hi, goal in windows:

        def read(lo: int | None = lo, hi: int | None = hi) -> float:
            start = time.perf_counter()
            with db.read() as tx:
                curves.read(tx, job_id, ["train/loss"], buckets=1000, lo=lo, hi=hi)
            return time.perf_counter() - start

        yield Row("curves", what, median(read) * 1000, "ms", goal)
