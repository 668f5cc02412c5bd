"""Open, migrate and use the database.

SQLite: WAL, one writer (a lock in this process, BEGIN IMMEDIATE), readers from a pool with
their own snapshots. ``synchronous=NORMAL``: a commit survives the death of the process; a
power cut may take back the last ones, never damage the file.
PostgreSQL: the same code, and writers take turns too: the server is one process, and events
then become visible in the order of their ids. Read transactions are REPEATABLE READ.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.store.faults import database_fault, disk_fault

Tx = Connection

BUSY_SECONDS = 30.0
READERS = 8


class Database:
    """A SQLite file or a PostgreSQL database, migrated to this version's schema."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self.where = url.database or "" if _is_sqlite(url) else url.render_as_string()
        self._lock = threading.Lock()
        if _is_sqlite(url):
            self._writer = _sqlite_engine(url, "BEGIN IMMEDIATE", readers=0)
            self._reader = _sqlite_engine(url, "BEGIN", readers=READERS)
        else:
            self._writer = _postgres_engine(url)
            self._reader = self._writer.execution_options(isolation_level="REPEATABLE READ")

    @classmethod
    def open(cls, where: str | Path) -> Database:
        """Open ``where`` (a path, or an SQLAlchemy URL) and migrate it when needed.

        Raises:
            StarForgeError: it cannot be reached, is damaged, is not StarForge's, or was
                made by a newer version. Nothing is changed then.
        """
        from starforge.server.store.migrate import bring_up

        url = parse_url(where)
        if _is_sqlite(url):
            _prepare_file(Path(url.database or ""))
        db = cls(url)
        try:
            bring_up(db)
        except BaseException:
            db.close()
            raise
        return db

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """Give a transaction that sees one snapshot. Nothing written in it is kept."""
        with self._guard(), self._reader.connect() as tx, tx.begin() as transaction:
            yield tx
            transaction.rollback()

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """Give a transaction that commits at the end; one at a time."""
        with self._guard(), self._lock, self._writer.begin() as tx:
            yield tx

    def close(self) -> None:
        """Close all connections."""
        self._reader.dispose()
        self._writer.dispose()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            fault = database_fault(error, self.where)
            if fault is None:
                raise
            raise fault from error


def parse_url(where: str | Path) -> URL:
    """Turn a path or URL into an SQLAlchemy URL with the drivers StarForge uses."""
    if isinstance(where, Path) or "://" not in where:
        return URL.create("sqlite", database=str(Path(where).absolute()))
    try:
        url = make_url(where)
    except ArgumentError:
        raise _unknown_url(where) from None
    if url.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return url.set(drivername="postgresql+psycopg")
    if _is_sqlite(url) and url.database not in (None, "", ":memory:"):
        return URL.create("sqlite", database=str(Path(str(url.database)).absolute()))
    raise _unknown_url(where)


def _unknown_url(where: str) -> StarForgeError:
    scheme = where.split("://", 1)[0]
    return StarForgeError(
        "store/url",
        Text(
            "`{scheme}://...` is not a database StarForge can use",
            "`{scheme}://...` 不是 StarForge 支持的数据库",
        ).format(scheme=scheme),
        Text(
            "give a file path (SQLite) or postgresql://USER:PASSWORD@HOST/NAME",
            "请给出文件路径（SQLite）或 postgresql://用户:密码@主机/库名",
        ),
    )


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _prepare_file(path: Path) -> None:
    """Make the folder, and see that files can be written there before SQLite says less."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder", str(path))
        with path.open("ab"):
            pass
    except OSError as error:
        raise disk_fault(error, path) from error


def _sqlite_engine(url: URL, begin: str, *, readers: int) -> Engine:
    engine = create_engine(
        url,
        connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
        pool_size=max(readers, 1),
        max_overflow=readers * 4,
        pool_timeout=BUSY_SECONDS,
    )

    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, see _begin
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA cache_size=-16000")
        connection.execute("PRAGMA journal_size_limit=67108864")
        if readers:
            connection.execute("PRAGMA query_only=ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _postgres_engine(url: URL) -> Engine:
    try:
        return create_engine(url, pool_size=READERS, max_overflow=READERS, pool_pre_ping=True)
    except ModuleNotFoundError:
        raise StarForgeError(
            "store/no-driver",
            Text("the PostgreSQL driver is not installed", "未安装 PostgreSQL 驱动"),
            Text(
                "install it with: pip install 'starforge[postgres]'",
                "请安装：pip install 'starforge[postgres]'",
            ),
        ) from None
