import os
import uuid

import pytest
from sqlalchemy import create_engine, text

from starforge.plan import LaunchPlan, Policies, Resources
from starforge.server.store import attempts, jobs
from starforge.server.store.database import Database, parse_url
from starforge.server.store.records import NewJob
from starforge.server.store.segments import StreamFiles

POSTGRES = os.environ.get("STARFORGE_TEST_POSTGRES_URL")
needs_postgres = pytest.mark.skipif(
    not POSTGRES, reason="STARFORGE_TEST_POSTGRES_URL is not set (make test sets it)"
)


@pytest.fixture
def postgres_url():
    """A new, empty PostgreSQL database."""
    name = f"store_{uuid.uuid4().hex}"
    url = parse_url(POSTGRES)
    admin = create_engine(url, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield url.set(database=name).render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_postgres)])
def db(request, tmp_path):
    """An open database of each kind that is at hand."""
    if request.param == "sqlite":
        where = tmp_path / "starforge.db"
    else:
        where = request.getfixturevalue("postgres_url")
    opened = Database.open(where)
    yield opened
    opened.close()


@pytest.fixture
def files(tmp_path):
    return StreamFiles(tmp_path / "streams")


def make_plan(**changes):
    values = {
        "method": "trl/sft",
        "framework": "trl",
        "version": "1.10.0",
        "recipe_digest": "r",
        "contract_digest": "c",
        "runtime": None,
        "processes": [],
        "files": [],
        "config": {"learning_rate": 1e-5},
        "differs": [],
        "checkpoints": None,
        "metrics": [],
        "inputs": [],
        "resources": Resources(cpus=2),
        "policies": Policies(),
        "total_steps": 100,
    }
    return LaunchPlan(**{**values, **changes})


def make_job(**changes):
    plan = changes.pop("plan", None) or make_plan()
    values = {
        "name": "my-sft",
        "plan": plan,
        "plan_digest": plan.digest(),
        "experiment": {"method": plan.method},
        "bundle": None,
        "token_hash": "t",
    }
    return NewJob(**{**values, **changes})


@pytest.fixture
def new_job():
    return make_job


@pytest.fixture
def new_plan():
    return make_plan


@pytest.fixture
def job_id(db):
    """A job with one attempt."""
    with db.write() as tx:
        job, _ = jobs.create(tx, make_job())
        attempts.create(tx, job.id, resume=False)
    return job.id
