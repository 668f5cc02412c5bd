import os
import uuid

import pytest
from sqlalchemy import create_engine, text
from tests_store_support import make_job, make_plan

from starforge.server.store import attempts, jobs
from starforge.server.store.database import Database, parse_url
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
