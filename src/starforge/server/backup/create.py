"""Make a backup of a home while its server runs."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from starforge import __version__, layout
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.backup.archive import FORMAT, About, Writer
from starforge.server.backup.snapshot import blob_digests, copy_database, drop_jobs, job_ids
from starforge.server.settings import Settings
from starforge.server.store.database import parse_url
from starforge.server.store.faults import disk_fault

DATABASE = "starforge.db"
# Of this process or this machine only, or installed again with `sf runtime install`.
_LEFT_OUT = frozenset(
    {"server.json", "server.lock", "server.log", "server.stderr", "runtimes",
     DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"}
)  # fmt: skip
_OF_JOBS = ("jobs", "streams")


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup holds; ``bytes`` is the size of the archive."""

    file: str
    database: str
    jobs: int
    files: int
    bytes: int
    changed: list[str]
    skipped: list[str]


def create(settings: Settings, target: Path, *, outputs: bool = True) -> Made:
    """Write a backup of a home to ``target``, whole or not at all (mode 0600).

    ``outputs=False`` leaves out what jobs put out (checkpoints and models).

    Raises:
        StarForgeError: no state there, ``target`` exists, or the disk is full.
    """
    database = _database(settings)
    _require_new(target)
    _require_outside(settings.home, target)
    try:
        with _place(target) as (raw, work):
            return _fill(settings, database, raw, work, target, outputs=outputs)
    except OSError as error:
        raise disk_fault(error, Path(error.filename or target)) from error


def _fill(
    settings: Settings,
    database: Path | None,
    raw: IO[bytes],
    work: Path,
    target: Path,
    *,
    outputs: bool,
) -> Made:
    """Database first, files second: see the package."""
    home, copy = settings.home, work / DATABASE
    about = About(
        format=FORMAT,
        version=__version__,
        created_at=time.time(),
        home=str(home),
        database="postgresql" if database is None else "sqlite",
        outputs=outputs,
    )
    known = blobs = None
    if database is not None:
        copy_database(database, copy)
        known, blobs = job_ids(copy), blob_digests(copy)
    writer = Writer(raw, about)
    for path in _top(home, database):
        writer.file(path, path.name)
        _tree(writer, home, path, outputs=outputs)
    for folder in _job_folders(home, known):
        writer.file(folder, _name(home, folder))
        _tree(writer, home, folder, outputs=outputs)
    for blob in _blobs(home, blobs):
        writer.file(blob, _name(home, blob))
    if database is not None and known is not None:
        gone = known - job_ids(database)
        drop_jobs(copy, gone)
        writer.manifest.deleted = sorted(gone)
        writer.file(copy, DATABASE)
    writer.finish()
    raw.flush()
    found = writer.manifest
    return Made(
        file=str(target),
        database=about.database,
        jobs=len(known or ()) - len(found.deleted),
        files=len(found.files) + len(found.links),
        bytes=os.fstat(raw.fileno()).st_size,
        changed=found.changed,
        skipped=found.skipped,
    )


def _database(settings: Settings) -> Path | None:
    """Return the SQLite file of a home; ``None`` for PostgreSQL."""
    url = parse_url(settings.database_url())
    if url.get_backend_name() != "sqlite":
        return None
    path = Path(url.database or "")
    if not path.is_file():
        raise StarForgeError(
            "backup/no-state",
            Text(f"there is no StarForge state in {settings.home}",
                 f"{settings.home} 中没有 StarForge 的状态"),
            Text("choose the home with STARFORGE_HOME; a server on PostgreSQL needs "
                 "STARFORGE_DATABASE_URL here too",
                 "请用 STARFORGE_HOME 指定状态目录；若服务使用 PostgreSQL，"
                 "这里也要设置 STARFORGE_DATABASE_URL"),
        )  # fmt: skip
    return path


def _top(home: Path, database: Path | None) -> Iterator[Path]:
    """Yield what lies in the home itself: keys, models, and whatever else is kept there."""
    for path in sorted(home.iterdir()):
        aside = path.name in _LEFT_OUT or path.name in (*_OF_JOBS, "blobs")
        rotated = path.name.startswith(("server.log.", "."))
        if not aside and not rotated and path != database:
            yield path


def _job_folders(home: Path, known: set[str] | None) -> Iterator[Path]:
    """Yield ``jobs/ID`` and ``streams/ID`` of the jobs in the copied database."""
    for kind in _OF_JOBS:
        parent = home / kind
        if not parent.is_dir():
            continue
        for folder in sorted(parent.iterdir()):
            if not folder.name.startswith(".") and (known is None or folder.name in known):
                yield folder


def _blobs(home: Path, wanted: set[str] | None) -> Iterator[Path]:
    root = home / "blobs"
    if wanted is None:
        found = sorted(root.glob("??/??/*"))
    else:
        found = [root / digest[:2] / digest[2:4] / digest for digest in sorted(wanted)]
    for path in found:
        if path.is_file():
            yield path


def _tree(writer: Writer, home: Path, root: Path, *, outputs: bool) -> None:
    """Add everything below a folder; what comes and goes meanwhile is taken as it is met."""
    if not root.is_dir() or root.is_symlink():
        return
    is_job = root.parent == home / "jobs"
    for here, folders, files in os.walk(root):
        folder = Path(here)
        if is_job and folder == root and not outputs:
            kept = [one for one in folders if not one.startswith(f"{layout.OUTPUT}-")]
            folders[:] = [one for one in kept if one != layout.OUTPUT]
        folders.sort()
        for name in sorted([*files, *folders]):
            _add(writer, home, folder / name)


def _add(writer: Writer, home: Path, path: Path) -> None:
    writer.file(path, _name(home, path))
    if path.suffix == ".raw" and _name(home, path) not in writer.manifest.files:
        sealed = path.with_suffix(".zst")  # the segment was sealed between the two looks
        writer.file(sealed, _name(home, sealed))


def _name(home: Path, path: Path) -> str:
    return path.relative_to(home).as_posix()


def _require_new(target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise StarForgeError(
            "backup/exists",
            Text(f"{target} already exists", f"{target} 已存在"),
            Text("choose another name; backups are never overwritten",
                 "请换一个文件名；备份不会被覆盖"),
        )  # fmt: skip
    if not target.parent.is_dir():
        raise StarForgeError(
            "backup/no-folder",
            Text(f"there is no folder {target.parent}", f"目录 {target.parent} 不存在"),
            Text("create it first", "请先创建该目录"),
        )


def _require_outside(home: Path, target: Path) -> None:
    if target.resolve().is_relative_to(home.resolve()):
        raise StarForgeError(
            "backup/inside-home",
            Text(f"{target} lies in the home itself", f"{target} 就在状态目录内"),
            Text("put the backup elsewhere, best on another disk",
                 "请把备份放到别处，最好是另一块磁盘"),
        )  # fmt: skip


@contextmanager
def _place(target: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """Give a file that becomes ``target`` at the end, and a folder for the moment."""
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}")
    work = Path(tempfile.mkdtemp(prefix=".starforge-backup-", dir=target.parent))
    try:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as raw:
            yield raw, work
            os.fsync(raw.fileno())
        _require_new(target)
        temporary.rename(target)
    finally:
        temporary.unlink(missing_ok=True)
        shutil.rmtree(work, ignore_errors=True)
