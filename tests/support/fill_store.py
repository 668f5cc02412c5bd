"""Fill a server's database with what months of work leave: very many jobs, a very long curve."""

import math
import random
from contextlib import closing
from pathlib import Path
from typing import Any

from starforge.plan import LaunchPlan, Policies, Resources
from starforge.server.store import attempts, jobs, scalars
from starforge.server.store.database import Database
from starforge.server.store.records import NewJob

BATCH = 10_000  # points in one transaction


def ended_job(name: str, **more: Any) -> NewJob:
    """A job that has ended and of which nothing is left to run."""
    plan = LaunchPlan(
        method="custom/custom", framework="custom", version="1.0.0", recipe_digest="",
        contract_digest="", runtime=None, processes=[], files=[], config={}, differs=[],
        checkpoints=None, metrics=[], inputs=[], resources=Resources(), policies=Policies(),
    )  # fmt: skip
    values = {"plan_digest": "", "experiment": {}, "bundle": None, "token_hash": ""}
    return NewJob(name=name, plan=plan, **{"state": "succeeded", **values, **more})


def fill_jobs(home: Path, count: int) -> None:
    """Make jobs `job-00000` and up; every tenth failed, every hundredth has the tag `kept`."""
    with closing(Database.open(home / "starforge.db")) as db, db.write() as tx:
        for number in range(count):
            state = "failed" if number % 10 == 0 else "succeeded"
            tags = ["kept"] if number % 100 == 0 else []
            jobs.create(tx, ended_job(f"job-{number:05}", state=state, tags=tags, owner="filled"))


def fill_curve(home: Path, points: int) -> str:
    """Make a job with a curve `train/loss` of so many points; its last value is 0. Its id."""
    rng = random.Random(0)
    with closing(Database.open(home / "starforge.db")) as db:
        with db.write() as tx:
            job, _ = jobs.create(tx, ended_job("long curve"))
            attempts.create(tx, job.id, resume=False)
        for lo in range(0, points, BATCH):
            steps = list(range(lo, min(lo + BATCH, points)))
            noise = [rng.gauss(0, 0.1) for _ in steps]
            values = [
                5 * math.exp(-5 * step / points) + one
                for step, one in zip(steps, noise, strict=True)
            ]
            if steps[-1] == points - 1:
                values[-1] = 0.0
            times = [1.7e9 + step / 5 for step in steps]
            with db.write() as tx:
                scalars.append(tx, job.id, 0, {"train/loss": (steps, times, values)})
    return job.id
