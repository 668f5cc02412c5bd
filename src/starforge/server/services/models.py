"""Models: registering them, and finding the folder a reference means."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.engines.streams import is_safe
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.plan import InputRef, LaunchPlan
from starforge.server.core import Core
from starforge.server.services import exports
from starforge.server.services.folders import folder_digest, folder_size
from starforge.server.store import artifacts, jobs, registry
from starforge.server.store.records import Job, Model
from starforge.wire.models import ModelCreate


def model_inputs(plan: LaunchPlan) -> dict[str, InputRef]:
    """Return the models a plan takes: ``model``, and ``teacher`` and ``reward`` if any."""
    return {one.name: one for one in plan.inputs if not one.name.startswith("data.")}


def locations(core: Core, plan: LaunchPlan) -> dict[str, str]:
    """Return what ``${MODEL}``, ``${TEACHER}`` and ``${REWARD}`` stand for, by input name.

    Each is a folder on this machine, a hub id or the name of a builtin.
    """
    return {name: resolve(core, ref) for name, ref in model_inputs(plan).items()}


def chosen(job: Job) -> dict[str, str]:
    """Return the models that were found when the job was submitted: ``job:NAME`` may name
    another one by now. A folder that has gone since is an error."""
    kept = job.experiment.get("models") or {}
    if "model_path" in job.experiment:  # jobs that were submitted by earlier versions
        kept = {"model": job.experiment["model_path"]}
    found = {}
    for name, ref in model_inputs(job.plan).items():
        location = kept.get(name)
        if isinstance(location, str):
            fixed = ref.kind in ("hub", "builtin")
            found[name] = location if fixed else str(_folder(Path(location)))
    return found


def resolve(core: Core, ref: InputRef) -> str:
    """Return the folder, hub id or builtin name of a model reference."""
    if ref.kind == "path":
        return str(_folder(Path(ref.location)))
    if ref.kind == "job":
        return str(folder_of_job(core, ref.location.removeprefix("job:")))
    if ref.kind == "registry":
        with core.db.read() as tx:
            return _of_row(core, registry.model(tx, ref.location.removeprefix("model:")))
    return ref.location


def folder_of_job(core: Core, ref: str) -> Path:
    """Return the export of a job that ``ID``, ``ID@best``, ``ID@last`` or ``ID@step-N`` means.

    Without a choice it is its final model, else its newest checkpoint (``exports``).
    """
    name, which = exports.split(ref)
    with core.db.read() as tx:
        job = jobs.find(tx, name)
        exported = artifacts.of_job(tx, job.id, kind="model")
    job_dir = core.settings.job_dir(job.id)
    if which is not None:
        return exports.choose(core, job, which, newest_checkpoints(job_dir, job.plan))
    for artifact in reversed(exported):
        if is_model(job_dir / artifact.path):
            return job_dir / artifact.path
    plan = job.plan.checkpoints
    if plan is not None and plan.final and is_model(job_dir / plan.final):
        return job_dir / plan.final
    for one in newest_checkpoints(job_dir, job.plan):
        model = exports.as_model(one)
        if model is not None:
            return model
    raise StarForgeError(
        "job/no-model",
        Text(
            f"job {job.name} ({job.id}, {job.state}) has left no model",
            f"任务 {job.name}（{job.id}，{job.state}）没有产出模型",
        ),
        Text(
            "wait until it has succeeded, or name another job",
            "请等它成功结束，或换一个任务",
        ),
        status=409,
    )


def newest_checkpoints(job_dir: Path, plan: LaunchPlan) -> list[Path]:
    """Return a job's checkpoint folders, newest first."""
    if plan.checkpoints is None:
        return []
    found = [path for path in job_dir.glob(plan.checkpoints.pattern) if path.exists()]
    return sorted(found, key=lambda path: (path.stat().st_mtime, path.name), reverse=True)


def is_model(folder: Path) -> bool:
    """Say whether a folder holds a model in the Hugging Face layout."""
    return (folder / "config.json").is_file()


def architecture_of(folder: Path) -> str | None:
    """Return the first architecture that a model's ``config.json`` names."""
    try:
        config: Any = json.loads((folder / "config.json").read_text("utf-8"))
        return str(config["architectures"][0])
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None


def create(core: Core, wanted: ModelCreate) -> Model:
    """Register a model from a folder of this machine, a job, or uploaded files."""
    given = [one for one in (wanted.path, wanted.job, wanted.files) if one]
    if len(given) != 1:
        raise StarForgeError(
            "model/one-source",
            Text(
                "a model comes from exactly one of: a folder, a job, uploaded files",
                "模型来源必须且只能是其中之一：目录、任务或上传的文件",
            ),
        )
    job_id = None
    if wanted.job:
        with core.db.read() as tx:
            job_id = jobs.find(tx, exports.split(wanted.job.removeprefix("job:"))[0]).id
        folder = folder_of_job(core, wanted.job.removeprefix("job:"))
    elif wanted.path:
        folder = _folder(Path(wanted.path))
    else:
        folder = _assemble(core, wanted)
    return register(core, wanted.name, folder, job_id=job_id, description=wanted.description)


def registry_name(text: str) -> str:
    """Return a job's name as a name that ``model:NAME@VERSION`` can hold."""
    return re.sub(r"[\s/@:\\]+", "-", text)[:100] or "model"


def register(
    core: Core, name: str, folder: Path, *, job_id: str | None, description: str | None = None
) -> Model:
    """Register a folder; the same content under the same name keeps its version."""
    digest, size, architecture = folder_digest(folder), folder_size(folder), architecture_of(folder)
    with core.db.write() as tx:
        return registry.add_model(
            tx,
            name,
            kind="job" if job_id else "path",
            location=str(folder),
            digest=digest,
            size=size,
            architecture=architecture,
            job_id=job_id,
            description=description,
        )


def _of_row(core: Core, row: Model) -> str:
    return row.location if row.kind == "hub" else str(_folder(Path(row.location)))


def _folder(folder: Path) -> Path:
    if not folder.is_absolute() or not folder.exists():
        raise StarForgeError(
            "model/not-found",
            Text(
                f"there is no model folder {folder} on the server's machine",
                f"服务所在的机器上没有模型目录 {folder}",
            ),
            Text(
                "check the path; on another machine upload it with `sf model add`",
                "请检查路径；如果模型在别的机器上，先用 `sf model add` 上传",
            ),
            status=422,
        )
    if not is_model(folder):
        raise StarForgeError(
            "model/broken",
            Text(f"{folder} has no config.json", f"{folder} 中没有 config.json"),
            Text(
                "a model folder holds config.json, weights and tokenizer files",
                "模型目录应包含 config.json、权重和分词器文件",
            ),
            status=422,
        )
    return folder


def _assemble(core: Core, wanted: ModelCreate) -> Path:
    """Link uploaded files together under ``<home>/models``."""
    files = wanted.files or []
    for file in files:
        if not is_safe(file.path):
            raise StarForgeError(
                "model/bad-path",
                Text(f"`{file.path}` is not a relative path", f"`{file.path}` 不是相对路径"),
            )
        core.blobs.use(file.digest)
    listing = "\n".join(sorted(f"{file.path} {file.digest}" for file in files))
    folder = core.settings.home / "models" / hashlib.sha256(listing.encode()).hexdigest()[:24]
    for file in files:
        target = folder / file.path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            core.blobs.materialize(file.digest, target)
    return _folder(folder)


def lost_checkpoint(job_name: str) -> StarForgeError:
    """Say that a job can't be resumed for want of a checkpoint."""
    return StarForgeError(
        "job/no-checkpoint",
        Text(
            f"job {job_name} has no checkpoint to go on from",
            f"任务 {job_name} 没有可以恢复的检查点",
        ),
        Text("start it anew with `sf job retry`", "用 `sf job retry` 从头开始"),
        status=409,
    )


def has_checkpoint(core: Core, job_id: str, plan: LaunchPlan) -> bool:
    """Say whether a job can be resumed."""
    job_dir = core.settings.job_dir(job_id)
    return bool(newest_checkpoints(job_dir, plan)) and (job_dir / layout.OUTPUT).is_dir()
