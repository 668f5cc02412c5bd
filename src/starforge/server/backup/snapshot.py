"""A consistent copy of the SQLite database, taken while the server writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.store.database import parse_url
from starforge.server.store.faults import disk_fault
from starforge.server.store.references import blob_references


def copy_database(source: Path, target: Path) -> None:
    """Copy a live database: one snapshot, writers are not held up.

    Raises:
        StarForgeError: it is damaged or no database, or the disk is full.
    """
    try:
        with (
            closing(sqlite3.connect(source, timeout=30)) as live,
            closing(sqlite3.connect(target)) as copy,
        ):
            live.backup(copy)  # all pages in one step: one snapshot of the log
            copy.execute("PRAGMA journal_mode=DELETE")
            fault = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.OperationalError as error:
        raise disk_fault(OSError(5, str(error)), source) from error
    except sqlite3.DatabaseError as error:
        raise _broken(source, str(error)) from error
    if fault != "ok":
        raise _broken(source, str(fault))


def job_ids(database: Path) -> set[str]:
    """Return the ids of all jobs of a database."""
    with closing(sqlite3.connect(database, timeout=30)) as known:
        return {row[0] for row in known.execute("SELECT id FROM jobs")}


def drop_jobs(database: Path, gone: set[str]) -> None:
    """Forget jobs whose files were deleted while they were to be copied."""
    with closing(sqlite3.connect(database)) as copy, copy:
        copy.execute("PRAGMA foreign_keys=ON")
        copy.executemany("DELETE FROM jobs WHERE id = ?", [(one,) for one in gone])


def blob_digests(database: Path) -> set[str]:
    """Return the sha256 of every blob that a copied database refers to."""
    engine = create_engine(parse_url(database))
    try:
        with engine.connect() as known:
            return set(blob_references(known))
    finally:
        engine.dispose()


def _broken(path: Path, why: str) -> StarForgeError:
    return StarForgeError(
        "backup/database",
        Text(f"the database {path} can't be copied: {why}", f"无法复制数据库 {path}：{why}"),
        Text(
            "the database is damaged: restore an older backup, or ask for help with this message",
            "数据库已损坏：请恢复更早的备份，或带上这条信息寻求帮助",
        ),
    )
