"""Put a backup into an empty home, so that a server can go on from it."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sqlite3
import tarfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from starforge import layout
from starforge.engines.local.engine import ENDED, ENGINE_FILE, read_status
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.backup.archive import About, Manifest
from starforge.server.backup.create import DATABASE
from starforge.server.backup.reader import Source, read
from starforge.server.backup.strays import end_strays
from starforge.server.home import home_error

REASON = "restored"
_AT_REST = frozenset({"queued", *ENDED})


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a restore; ``ended`` are jobs that ran when the backup was made."""

    home: str
    created_at: float
    version: str
    database: str
    jobs: int
    ended: list[str]


def restore(file: Path, home: Path) -> Restored:
    """Unpack a backup into ``home``, which must be empty or not there yet.

    The home appears whole or not at all. Attempts that ran when the backup was made are
    closed with the reason ``restored``: their processes belong to the home that was backed
    up. Where that home still exists they go on there; where it was deleted they are ended.

    Raises:
        StarForgeError: ``home`` holds something, the archive is damaged, the disk is full.
    """
    _require_empty(home)
    work = home.with_name(f".{home.name}.{secrets.token_hex(4)}")
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        work.mkdir(mode=0o700)
        about, told = _unpack(file, work)
        _tidy(work, told)
        done = _settle(work, home, about)
        os.sync()
        if home.exists():
            home.rmdir()  # empty; fails when someone put something there meanwhile
        work.rename(home)
        return done
    except OSError as error:
        raise home_error(home, error) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _require_empty(home: Path) -> None:
    if home.is_symlink() or (home.exists() and (not home.is_dir() or any(home.iterdir()))):
        raise StarForgeError(
            "backup/home-not-empty",
            Text(f"{home} is not empty", f"{home} 不是空目录"),
            Text("give a new folder with --home; nothing was changed",
                 "请用 --home 指定一个新目录；没有做任何改动"),
        )  # fmt: skip


def _unpack(file: Path, work: Path) -> tuple[About, Manifest]:
    """Write all members below ``work``; links last, so that nothing is written through one."""
    symlinks: list[tuple[str, str]] = []
    folders: list[tuple[Path, int]] = []

    def take(member: tarfile.TarInfo, stream: Source | None) -> None:
        path = work / member.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if stream is not None:
            with path.open("xb") as out:
                shutil.copyfileobj(stream, out, 1 << 20)
            path.chmod(member.mode & 0o777)
            os.utime(path, (member.mtime, member.mtime))  # the newest checkpoint is the newest
        elif member.islnk():
            os.link(work / member.linkname, path)
        elif member.issym():
            symlinks.append((member.name, member.linkname))
        else:
            path.mkdir(exist_ok=True)
            folders.append((path, int(member.mtime)))

    found = read(file, take)
    for name, target in symlinks:
        (work / name).symlink_to(target)
    for path, moment in reversed(folders):
        os.utime(path, (moment, moment))
    return found


def _tidy(work: Path, told: Manifest) -> None:
    for job in told.deleted:
        for kind in ("jobs", "streams"):
            shutil.rmtree(work / kind / job, ignore_errors=True)
    for name in ("token", "job.key"):
        if (work / name).exists():
            (work / name).chmod(0o600)


def _settle(work: Path, home: Path, about: About) -> Restored:
    """Close what ran, and lead paths into the old home to the new one."""
    database = work / DATABASE
    running = list(_started(work))  # all there is to go by without the database
    count = 0
    if database.exists():
        with closing(sqlite3.connect(database)) as db, db:
            known = db.execute("SELECT id, current_attempt, desired, state FROM jobs").fetchall()
            count = len(known)
            running = [row[:3] for row in known if row[3] not in _AT_REST]
            _drop_later(work, known)
            _relocate(db, about.home, str(home))
    for job, attempt, _ in running:
        end_strays(job, attempt or 0, layout.attempt_dir(home / "jobs" / job, attempt or 0))
    ended_now = [one[0] for one in running if _close(work, *one, about)]
    return Restored(
        home=str(home),
        created_at=about.created_at,
        version=about.version,
        database=about.database,
        jobs=count,
        ended=ended_now,
    )


def _drop_later(work: Path, known: list[tuple[str, int | None, str, str]]) -> None:
    """Remove attempts that began after the database was copied: it knows nothing of them."""
    for job, current, _, state in known:
        first = (-1 if current is None else current) + (state != "queued")
        for folder in (work / "jobs" / job).glob("attempt-*"):
            number = folder.name.removeprefix("attempt-")
            if number.isdigit() and int(number) >= first:
                shutil.rmtree(folder)


def _started(work: Path) -> Iterator[tuple[str, int, str]]:
    """Yield the newest attempt of each job, as ``(job, attempt, desired)``."""
    for folder in sorted((work / "jobs").glob("*")):
        names = (one.name.removeprefix("attempt-") for one in folder.glob("attempt-*"))
        numbers = [int(name) for name in names if name.isdigit()]
        if numbers:
            yield folder.name, max(numbers), "run"


def _close(work: Path, job: str, attempt: int | None, desired: str, about: About) -> bool:
    """Give an attempt that ran its last record; the server then takes over what it logged."""
    folder = layout.attempt_dir(work / "jobs" / job, attempt or 0)
    status = read_status(folder)
    started = (folder / ENGINE_FILE).exists() or bool(status)
    for name in (ENGINE_FILE, layout.PROCESSES, layout.RUNNER_LOCK):
        (folder / name).unlink(missing_ok=True)
    if not started or status.get("state") in ENDED:
        return False
    moment = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(about.created_at))
    stopped = desired == "stop"
    body = status | {
        "state": "stopped" if stopped else "failed",
        "reason": "stopped_by_user" if stopped else REASON,
        "message": f"it ran when the backup of {moment} was made, from which this server was "
        "restored; what it did later is not here",
        "message_zh": f"服务由 {moment} 的备份恢复而来，制作备份时该任务正在运行；"
        "此后的内容不在其中",
        "updated_at": about.created_at,
        "ended_at": about.created_at,
        "exit_code": None,
    }
    (folder / layout.STATUS).write_text(json.dumps(body, ensure_ascii=False), "utf-8")
    return True


def _relocate(db: sqlite3.Connection, old: str, new: str) -> None:
    """Change absolute paths below the old home in what the server looks up."""
    if old == new:
        return
    for name, version, location in db.execute("SELECT name, version, location FROM models"):
        moved = _moved(location, old, new)
        if moved != location:
            where = "UPDATE models SET location = ? WHERE name = ? AND version = ?"
            db.execute(where, (moved, name, version))
    for job, raw in db.execute("SELECT job_id, experiment FROM job_specs"):
        experiment: dict[str, Any] = json.loads(raw)
        path = experiment.get("model_path")
        moved = _moved(path, old, new)
        if moved != path:
            changed = json.dumps(experiment | {"model_path": moved}, ensure_ascii=False)
            db.execute("UPDATE job_specs SET experiment = ? WHERE job_id = ?", (changed, job))


def _moved(path: Any, old: str, new: str) -> Any:
    if isinstance(path, str) and path.startswith(old.rstrip("/") + "/"):
        return new.rstrip("/") + path[len(old.rstrip("/")) :]
    return path
