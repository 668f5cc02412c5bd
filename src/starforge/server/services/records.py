"""Reading a job's record and its output files."""

from __future__ import annotations

from pathlib import Path

from starforge import layout
from starforge.server.core import Core
from starforge.server.services.views import within
from starforge.wire.jobs import Record

MAX_FILE = 512 * 1024
MAX_FILES = 500
BYTECODE = "__pycache__"
# What a person may fetch from a job's folder; launch.json holds a token and is not there.
PUBLIC = (layout.RECORD, layout.CODE, layout.OUTPUT)


def read(core: Core, job_id: str) -> Record:
    """Return the text files of ``record/``; large ones are named, not shown.

    Bytecode that Python left beside the drivers is no part of the record.
    """
    root = core.settings.job_dir(job_id) / layout.RECORD
    files: dict[str, str] = {}
    left_out: list[str] = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not path.is_file() or within(name, root) is None or path.parent.name == BYTECODE:
            continue
        if len(files) >= MAX_FILES or path.stat().st_size > MAX_FILE:
            left_out.append(name)
        else:
            files[name] = path.read_text("utf-8", "replace")
    return Record(files=files, truncated=left_out)


def public_file(core: Core, job_id: str, path: str) -> Path | None:
    """Return a file that may be fetched; ``None`` for any other."""
    job_dir = core.settings.job_dir(job_id)
    target = within(path, job_dir)
    if target is None or not target.is_file():
        return None
    top = target.relative_to(job_dir.resolve()).parts[0]
    if top in PUBLIC or top.startswith(f"{layout.OUTPUT}-"):
        return target
    if top.startswith("attempt-") and target.name != layout.LAUNCH:
        return target
    return None
