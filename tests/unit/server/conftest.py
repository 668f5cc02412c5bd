"""A server's core on a private home, and jobs in it, without a process around them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from starforge.plan import CheckpointPlan, InputRef, LaunchPlan, Policies, Process, Resources
from starforge.server.core import Core, open_core
from starforge.server.home import prepare_home
from starforge.server.settings import Settings
from starforge.server.store import attempts, jobs
from starforge.server.store.records import AttemptChange, Job, NewJob


def build_plan(
    *argv: str, inputs: list[InputRef] | None = None, cpus: int = 1, gpus: int = 0, **more: Any
) -> LaunchPlan:
    fields: dict[str, Any] = {
        "method": "custom/custom",
        "framework": "custom",
        "version": "1.0.0",
        "recipe_digest": "r",
        "contract_digest": "c",
        "runtime": None,
        "processes": [Process(role="trainer", argv=list(argv) or ["true"])],
        "files": [],
        "config": {},
        "differs": [],
        "checkpoints": CheckpointPlan(format="hf", pattern="output/checkpoints/*"),
        "metrics": [],
        "inputs": inputs or [],
        "resources": Resources(cpus=cpus, gpus=gpus),
        "policies": Policies(stop_grace=1.0),
        "primary_metrics": ["loss"],
    }
    return LaunchPlan(**{**fields, **more})


@pytest.fixture
def make_plan() -> Callable[..., LaunchPlan]:
    """Build the plan of a custom job."""
    return build_plan


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    made = Settings(home=tmp_path / "home", slots_cpus=2, ship_timeout=1.0)
    prepare_home(made)
    return made


@pytest.fixture
def core(settings: Settings) -> Iterator[Core]:
    made = open_core(settings)
    yield made
    made.db.close()


@pytest.fixture
def add_job(core: Core) -> Callable[..., Job]:
    """Queue a job as a submission does, with its (empty) folder."""

    def add(plan: LaunchPlan | None = None, **fields: Any) -> Job:
        plan = plan or build_plan()
        known: dict[str, Any] = {
            "name": "job", "plan": plan, "plan_digest": plan.digest(), "experiment": {},
            "bundle": None, "token_hash": "",
        }  # fmt: skip
        with core.db.write() as tx:
            job, _ = jobs.create(tx, NewJob(**{**known, **fields}))
            attempts.create(tx, job.id, resume=False)
            attempts.change(tx, job.id, 0, AttemptChange(state=job.state))
            job = jobs.get(tx, job.id)
        (core.settings.job_dir(job.id) / "attempt-0").mkdir(parents=True)
        (core.settings.job_dir(job.id) / "output").mkdir()
        return job

    return add
