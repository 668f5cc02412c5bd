"""What an ended attempt left: declared artifacts, checkpoints, the model, scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import structlog

from starforge import layout
from starforge.i18n import Text
from starforge.plan import LaunchPlan
from starforge.server.core import Core
from starforge.server.services import models
from starforge.server.services.folders import folder_digest, folder_size
from starforge.server.services.views import within
from starforge.server.store import artifacts, events, jobs, scores
from starforge.server.store.naming import tidy

log = structlog.get_logger("starforge.outputs")

MAX_ROWS = 10_000
MAX_META = 16_384  # characters


class Found(NamedTuple):
    """Something that lies in a job's folder."""

    kind: str
    name: str
    path: Path
    meta: dict[str, Any] | None = None


def collect(core: Core, job_id: str, attempt: int, *, succeeded: bool) -> None:
    """Record an attempt's outputs; doing it again changes nothing.

    A job's end never depends on this: what can't be read becomes an event.
    """
    plan = core.plan(job_id)
    job_dir = core.settings.job_dir(job_id)
    try:
        declared = list(_declared(core, job_id, layout.attempt_dir(job_dir, attempt)))
        for found in [*declared, *_planned(plan, job_dir)]:
            _put(core, job_id, attempt, found)
        if succeeded:
            _register_model(core, job_id, plan, job_dir)
        _label_scores(core, job_id, plan)
    except (OSError, ValueError) as error:
        log.warning("outputs can't be read", job=job_id, error=str(error))
        _event(
            core,
            job_id,
            Text(f"outputs could not be read: {error}", f"无法读取产出文件：{error}"),
        )


def _declared(core: Core, job_id: str, folder: Path) -> Iterator[Found]:
    """Yield the job's own declarations that hold up."""
    job_dir = folder.parent
    for row in _rows(folder / layout.ARTIFACTS):
        shown = str(row.get("path", ""))
        path = within(shown, job_dir)
        if path is None or path == job_dir.resolve() or not _is_there(path):
            _event(
                core,
                job_id,
                Text(
                    f"the declared output `{tidy(shown[:200])}` is not a file of the job's folder",
                    f"声明的产出 `{tidy(shown[:200])}` 不在任务目录中",
                ),
            )
            continue
        kind, name = str(row.get("kind") or "file"), str(row.get("name") or path.name)
        meta = row.get("meta")
        meta = meta if isinstance(meta, dict) and len(json.dumps(meta)) <= MAX_META else None
        yield Found(tidy(kind[:64]), tidy(name[:200]), path, meta)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long, for one
        return False


def _planned(plan: LaunchPlan, job_dir: Path) -> Iterator[Found]:
    """Yield checkpoints and the final model as the plan says where they lie."""
    if plan.checkpoints is None:
        return
    for path in models.newest_checkpoints(job_dir, plan):
        yield Found("checkpoint", path.name, path)
    if plan.checkpoints.final:
        final = job_dir / plan.checkpoints.final
        if models.is_model(final):
            yield Found("model", final.name, final)


def _put(core: Core, job_id: str, attempt: int, found: Found) -> None:
    root = core.settings.job_dir(job_id).resolve()
    path = found.path.resolve()
    digest = folder_digest(path) if found.kind == "model" and path.is_dir() else None
    size = folder_size(path)
    with core.db.write() as tx:
        artifacts.put(
            tx,
            job_id,
            attempt=attempt,
            kind=found.kind,
            path=path.relative_to(root).as_posix(),
            name=found.name,
            size=size,
            digest=digest,
            meta=found.meta,
        )


def _register_model(core: Core, job_id: str, plan: LaunchPlan, job_dir: Path) -> None:
    """Register what a successful job exported under the job's name."""
    with core.db.read() as tx:
        name = jobs.summary(tx, job_id).name
        exported = artifacts.of_job(tx, job_id, kind="model")
    folders = [job_dir / one.path for one in exported if models.is_model(job_dir / one.path)]
    if folders:
        models.register(core, models.registry_name(name), folders[-1], job_id=job_id)


def _label_scores(core: Core, job_id: str, plan: LaunchPlan) -> None:
    """Say which model a job's scores are about."""
    ref = models.model_inputs(plan).get("model")
    with core.db.read() as tx:
        job = jobs.get(tx, job_id)
        if not scores.of_job(tx, job_id):
            return
    label = str(job.experiment.get("model") or (ref.location if ref else f"job:{job_id}"))
    digest = job.experiment.get("model_digest") or (ref.digest if ref else None)
    with core.db.write() as tx:
        scores.label(tx, job_id, model=label, model_digest=digest)
    from starforge.server.services import contamination  # loads the checks: not at every start

    contamination.keep(core, job_id)


def _event(core: Core, job_id: str, text: Text) -> None:
    with core.db.write() as tx:
        events.add(tx, "outputs", job_id=job_id, text=text)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    with path.open("rb") as handle:
        for number, line in enumerate(handle):
            if number >= MAX_ROWS:
                return
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row
