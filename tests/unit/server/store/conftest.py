import os
import uuid

import pytest
from sqlalchemy import create_engine, text
from tests_store_support import make_job, make_plan

from starforge.server.store import attempts, jobs
from starforge.server.store.database import Database, parse_url
from starforge.server.store.migrate import HEAD
from starforge.server.store.segments import StreamFiles
from starforge.server.store.tables import metadata

POSTGRES = os.environ.get("STARFORGE_TEST_POSTGRES_URL")
needs_postgres = pytest.mark.skipif(
    not POSTGRES, reason="STARFORGE_TEST_POSTGRES_URL is not set (make test sets it)"
)


@pytest.fixture(scope="session")
def postgres_url():
    """A PostgreSQL database of this test run, migrated."""
    name = f"store_{uuid.uuid4().hex}"
    url = parse_url(POSTGRES)
    admin = create_engine(url, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    made = url.set(database=name).render_as_string(hide_password=False)
    Database.open(made).close()
    yield made
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


def emptied(url):
    """Open the PostgreSQL database without what an earlier test left in it."""
    opened = Database(parse_url(url))
    names = ", ".join(table.name for table in metadata.sorted_tables)
    with opened.write() as tx:
        tx.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
        tx.execute(text(f"UPDATE alembic_version SET version_num = '{HEAD}'"))
    return opened


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_postgres)])
def db(request, tmp_path):
    """An open, empty database of each kind that is at hand."""
    if request.param == "sqlite":
        opened = Database.open(tmp_path / "starforge.db")
    else:
        opened = emptied(request.getfixturevalue("postgres_url"))
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
