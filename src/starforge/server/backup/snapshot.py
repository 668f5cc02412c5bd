"""A consistent copy of the SQLite database, taken while the server writes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import zstandard

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.store.faults import disk_fault


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
    """Return the sha256 of every blob that a job, a dataset, a stage or a trial refers to."""
    with closing(sqlite3.connect(database)) as known:
        found = {row[0] for row in known.execute("SELECT digest FROM datasets")}
        for bundle, plan in known.execute("SELECT bundle, plan FROM job_specs"):
            found.add(bundle)
            found |= _inputs(json.loads(zstandard.decompress(plan)))
        waiting = "SELECT request FROM pipeline_stages UNION ALL SELECT request FROM sweeps"
        for (request,) in known.execute(waiting):
            asked = json.loads(request)
            found.add(asked.get("bundle"))
            found |= _inputs(asked)
    return {digest for digest in found if digest}


def _inputs(plan: dict[str, Any]) -> set[str]:
    return {one["digest"] for one in plan.get("inputs", []) if one.get("digest")}


def _broken(path: Path, why: str) -> StarForgeError:
    return StarForgeError(
        "backup/database",
        Text(f"the database {path} can't be copied: {why}", f"无法复制数据库 {path}：{why}"),
        Text(
            "the database is damaged: restore an older backup, or ask for help with this message",
            "数据库已损坏：请恢复更早的备份，或带上这条信息寻求帮助",
        ),
    )
