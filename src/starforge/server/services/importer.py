"""Brings in what ran without a server: a folder of ``starforge.report``, or an attempt."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any, get_args

from starforge import layout
from starforge.engines.streams import files_of
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.plan import LaunchPlan, Policies, Resources
from starforge.server.control.finish import Ending, record
from starforge.server.core import Core
from starforge.server.services import ingest, outputs
from starforge.server.services.endings import ending_text
from starforge.server.services.headline import update_headline
from starforge.server.services.job_names import require_name, usable_name
from starforge.server.services.materialise import sync_tree
from starforge.server.services.submit import enqueue
from starforge.server.store import jobs
from starforge.server.store.records import ENDED, JobChange, JobState, NewJob
from starforge.wire.jobs import ImportRequest

METHOD = "custom/custom"


def import_folder(core: Core, request: ImportRequest) -> str:
    """Make an ended job of a folder; the same content again answers the same job.

    The folder itself is only read: its stream files are copied into the job's folder.
    """
    folder = _folder(request.path)
    plan = _plan()
    files = files_of(plan, folder)
    if not files:
        raise _nothing(folder)
    about = _read(folder / layout.RUN)
    status = _read(folder / layout.STATUS)
    if request.name is not None:
        require_name(request.name)
    name = request.name or usable_name(str(about.get("name") or folder.name))
    work = Path(tempfile.mkdtemp(prefix=".new-", dir=core.settings.jobs))
    try:
        built = _copy(folder, [path for path, _ in files], work)
        new = NewJob(
            name=name,
            plan=plan,
            plan_digest=plan.digest(),
            experiment={"imported": str(folder), "config": about.get("config") or {}},
            bundle=None,
            token_hash="",
            description=None,
            idempotency_key=_key(folder, [path for path, _ in files]),
            state="stopping",  # nobody may launch it
            desired="stop",
        )
        job_id, is_new = enqueue(core, new, built)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if is_new:
        _take(core, job_id, status)
    return job_id


def _take(core: Core, job_id: str, status: dict[str, Any]) -> None:
    attempt = layout.attempt_dir(core.settings.job_dir(job_id), 0)
    ingest.drain(core, job_id, 0, attempt)
    outputs.collect(core, job_id, 0, succeeded=False)
    update_headline(core, job_id)
    with core.db.read() as tx:
        job = jobs.summary(tx, job_id)
    state = status.get("state")
    ended: JobState = state if state in ENDED else "succeeded"
    assert ended in get_args(JobState)
    record(core, job, Ending(ended, "imported", ending_text(status), status))
    progress = status.get("progress")
    if isinstance(progress, dict) and isinstance(progress.get("total"), int):
        with core.db.write() as tx:
            jobs.change(tx, job_id, JobChange(progress_total=progress["total"]))


def _plan() -> LaunchPlan:
    return LaunchPlan(
        method=METHOD,
        framework="custom",
        version="",
        recipe_digest="",
        contract_digest="",
        runtime=None,
        processes=[],
        files=[],
        config={},
        differs=[],
        checkpoints=None,
        metrics=[],
        inputs=[],
        resources=Resources(cpus=0, gpus=0, profile="imported"),
        policies=Policies(nan_loss=False),
    )


def _folder(path: str) -> Path:
    folder = Path(path)
    if not folder.is_absolute() or not folder.is_dir():
        raise StarForgeError(
            "import/no-folder",
            Text(
                f"there is no folder {path} on the server's machine",
                f"服务所在的机器上没有目录 {path}",
            ),
            Text(
                "give the folder that `starforge.report` made",
                "请给出 `starforge.report` 生成的目录",
            ),
            status=422,
        )
    # A whole job folder: its newest attempt is meant.
    attempts = sorted(
        (one for one in folder.glob("attempt-*") if one.name[8:].isdigit()),
        key=lambda one: int(one.name[8:]),
    )
    return attempts[-1] if attempts else folder


def _nothing(folder: Path) -> StarForgeError:
    return StarForgeError(
        "import/nothing",
        Text(
            f"{folder} holds no metrics, samples, scores or logs",
            f"{folder} 中没有指标、样本、评测结果或日志",
        ),
        Text(
            "give the folder that `starforge.report` made (`starforge-runs/...`)",
            "请给出 `starforge.report` 生成的目录（`starforge-runs/...`）",
        ),
        status=422,
    )


def _copy(folder: Path, paths: list[str], work: Path) -> Path:
    job = work / "job"
    target = layout.attempt_dir(job, 0)
    extra = [layout.STATUS, layout.PROGRESS, layout.ARTIFACTS, layout.RUN]
    for path in [*paths, *(name for name in extra if (folder / name).is_file())]:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / path, target / path)
    (job / layout.RECORD).mkdir()
    about = {"imported": str(folder), "time": time.time()}
    (job / layout.RECORD / "import.json").write_text(json.dumps(about) + "\n", "utf-8")
    sync_tree(job)
    return job


def _key(folder: Path, paths: list[str]) -> str:
    content = hashlib.sha256()
    for path in paths:
        with (folder / path).open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
        content.update(f"{path}\0{digest}\0".encode())
    return f"import:{content.hexdigest()}"


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
