import sqlite3
import subprocess
import sys
import threading

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from starforge.errors import StarForgeError
from starforge.server.store import events
from starforge.server.store.database import Database, parse_url
from starforge.server.store.migrate import HEAD, alembic_config
from starforge.server.store.tables import metadata


def refused(where):
    with pytest.raises(StarForgeError) as caught:
        Database.open(where)
    error = caught.value
    assert error.hint is not None
    assert error.message.zh != error.message.en
    return error


def test_migrations_end_at_the_schema(db):
    options = {"compare_type": True, "render_as_batch": True}
    with db.read() as tx:
        context = MigrationContext.configure(tx, opts=options)
        assert compare_metadata(context, metadata) == []


def test_head_is_the_newest_revision():
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == HEAD


def test_opening_again_keeps_what_is_there(tmp_path):
    path = tmp_path / "deep" / "starforge.db"
    first = Database.open(path)
    with first.write() as tx:
        events.add(tx, "hello")
    first.close()
    again = Database.open(f"sqlite:///{path}")
    with again.read() as tx:
        assert [event.kind for event in events.after(tx)] == ["hello"]
    again.close()


def test_opening_a_current_database_does_not_import_alembic(tmp_path):
    path = tmp_path / "starforge.db"
    Database.open(path).close()
    code = (
        "import sys\n"
        "from starforge.server.store.database import Database\n"
        f"Database.open({str(path)!r}).close()\n"
        "assert 'alembic' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_failed_write_leaves_nothing(db):
    with pytest.raises(RuntimeError), db.write() as tx:
        events.add(tx, "lost")
        raise RuntimeError
    with db.write() as tx:
        events.add(tx, "kept")
    with db.read() as tx:
        assert [event.kind for event in events.after(tx)] == ["kept"]


def test_a_reader_keeps_its_snapshot_while_others_write(db):
    with db.read() as tx:
        assert events.newest(tx) == 0
        with db.write() as other:
            events.add(other, "new")
        assert events.newest(tx) == 0
    with db.read() as tx:
        assert events.newest(tx) > 0


def test_writers_of_many_threads_take_turns(db):
    def work():
        for _ in range(20):
            with db.write() as tx:
                before = events.newest(tx)
                assert events.add(tx, "tick") > before

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with db.read() as tx:
        assert len(events.after(tx)) == 100


def test_readers_cannot_write(db):
    if db.url.get_backend_name() == "sqlite":
        with pytest.raises(StarForgeError) as caught, db.read() as tx:
            events.add(tx, "no")
        assert caught.value.code == "store/read-only"
    else:
        with db.read() as tx:
            events.add(tx, "no")
    with db.read() as tx:
        assert events.after(tx) == []


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path):
    path = tmp_path / "starforge.db"
    path.write_bytes(b"my diary " * 1000)
    error = refused(path)
    assert error.code == "store/corrupt"
    assert str(path) in error.message.en
    assert path.read_bytes() == b"my diary " * 1000


def test_a_damaged_database_is_named(tmp_path):
    path = tmp_path / "starforge.db"
    db = Database.open(path)
    with db.write() as tx:
        for _ in range(2000):
            events.add(tx, "x" * 60)
    db.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * (size // 2))
    with pytest.raises(StarForgeError) as caught:
        db = Database.open(path)
        with db.read() as tx:
            events.after(tx, limit=10_000)
    assert caught.value.code == "store/corrupt"


def test_a_database_of_a_newer_version_is_refused_and_kept(db):
    url = db.url
    with db.write() as tx:
        events.add(tx, "kept")
        tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    error = refused(url.render_as_string(hide_password=False))
    assert error.code == "store/newer"
    assert "9999" in error.message.en
    with db.read() as tx:
        assert [event.kind for event in events.after(tx)] == ["kept"]


def test_a_foreign_database_is_refused_and_kept(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE photos (id INTEGER)")
    assert refused(path).code == "store/foreign"
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("photos",)]


def test_a_place_where_nothing_can_be_written_is_named():
    error = refused("/proc/starforge/starforge.db")
    assert error.code in ("store/files", "store/read-only")
    assert "/proc/starforge" in error.message.en


def test_a_folder_is_not_a_database(tmp_path):
    assert refused(tmp_path).code == "store/files"


def test_a_full_disk_loses_nothing(tmp_path):
    path = tmp_path / "starforge.db"
    db = Database.open(path)
    with db.write() as tx:
        pages = tx.exec_driver_sql("PRAGMA page_count").scalar()
        tx.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")
    with pytest.raises(StarForgeError) as caught, db.write() as tx:
        for _ in range(100):
            events.add(tx, "x", data={"text": "y" * 4000})
    assert caught.value.code == "store/disk-full"
    with db.read() as tx:
        assert events.after(tx) == []
    db.close()


@pytest.mark.parametrize("url", ["mysql://u:secret@h/x", "sqlite://", "::not a url://"])
def test_other_databases_are_refused(url):
    error = refused(url)
    assert error.code == "store/url"
    assert "secret" not in error.message.en


def test_postgres_urls_get_the_driver_of_the_extra():
    assert parse_url("postgres://h/x").drivername == "postgresql+psycopg"
    assert parse_url("postgresql://h/x").drivername == "postgresql+psycopg"


def test_a_postgres_that_is_away_is_named():
    pytest.importorskip("psycopg")
    error = refused("postgresql://u:secret@127.0.0.1:1/x")
    assert error.code == "store/unreachable"
    assert "secret" not in error.message.en
