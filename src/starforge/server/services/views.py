"""From rows of the store to the shapes of the API."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec

from starforge.findings import Finding
from starforge.i18n import Lang, Text
from starforge.server.core import Core
from starforge.server.services.pace import PACES
from starforge.server.store import artifacts, attempts, events, jobs, notes
from starforge.server.store.database import Tx
from starforge.server.store.records import (
    Artifact,
    Attempt,
    Dataset,
    Event,
    Job,
    JobSummary,
    Model,
    Score,
    Series,
    StreamNote,
)
from starforge.wire import board as board_wire
from starforge.wire import datasets as datasets_wire
from starforge.wire import jobs as wire
from starforge.wire import metrics as metrics_wire
from starforge.wire import models as models_wire
from starforge.wire.base import from_unix
from starforge.wire.findings import Finding as FindingShape


def pick(text: Text | None, lang: Lang) -> str | None:
    """Return a text in ``lang``."""
    return text.pick(lang) if text is not None else None


def finite(value: float | None) -> float | None:
    """Return a number JSON can say."""
    return value if value is not None and math.isfinite(value) else None


def job_fields(job: JobSummary, lang: Lang) -> dict[str, Any]:
    """Return the fields that lists and details share."""
    headline = {name: finite(value) for name, value in job.headline.items()}
    return {
        "id": job.id,
        "name": job.name,
        "method": job.method,
        "state": job.state,
        "desired": job.desired,
        "reason": job.reason,
        "message": pick(job.message, lang),
        "description": job.description,
        "tags": job.tags,
        "priority": job.priority,
        "profile": job.profile,
        "engine": job.engine,
        "cpus": job.cpus,
        "gpus": job.gpus,
        "lab": job.lab,
        "owner": job.owner,
        "parent": job.parent,
        "pipeline": job.pipeline,
        "attempt": job.current_attempt or 0,
        "progress": progress(job),
        "headline": headline,
        "created_at": from_unix(job.created_at),
        "started_at": from_unix(job.started_at),
        "ended_at": from_unix(job.ended_at),
        "updated_at": from_unix(job.updated_at),
    }


def progress(job: JobSummary) -> wire.Progress | None:
    """Return the progress with the time left, as far as the pace so far tells."""
    step, total = job.progress_step, job.progress_total
    if step is None and total is None:
        return None
    eta = None
    if job.state == "running" and step and total and total >= step:
        eta = PACES.seconds_left(job.id, total)
    return wire.Progress(step=step, total=total, eta_seconds=eta)


def job(row: JobSummary, lang: Lang) -> wire.Job:
    """Return a job as lists show it."""
    return wire.Job(**job_fields(row, lang))


def detail(core: Core, tx: Tx, row: Job, lang: Lang) -> wire.JobDetail:
    """Return everything about a job but its streams."""
    plan = row.plan
    findings = msgspec.convert(row.experiment.get("findings", []), list[Finding])
    model, data = jobs.inputs_of(tx, [row.id]).get(row.id, (None, None))
    return wire.JobDetail(
        **job_fields(row, lang),
        model=model,
        data=data,
        attempts=[attempt(one, lang) for one in attempts.of_job(tx, row.id)],
        outputs=[output(one) for one in artifacts.of_job(tx, row.id)],
        inputs=[msgspec.to_builtins(one) for one in plan.inputs],
        parameters=plan.parameters,
        primary_metrics=plan.primary_metrics,
        stages=plan.stages,
        findings=[FindingShape(**one.to_public(lang)) for one in findings],
        plan_digest=row.plan_digest,
        bundle=row.bundle,
        source=msgspec.to_builtins(row.source) if row.source else None,
        resumable=bool(plan.checkpoints and plan.checkpoints.resumable),
        folder=str(core.settings.job_dir(row.id)),
        alerts=[alert(one, lang) for one in events.alerts(tx, row.id)],
        notes=[stream_note(one, lang) for one in notes.of_job(tx, row.id)],
        then=msgspec.to_builtins(plan.then or []),
        follow_ups=row.follow_ups,
        stage=row.experiment.get("stage"),
        sweep=row.experiment.get("sweep"),
        trial=row.experiment.get("trial"),
        rerun_of=row.experiment.get("rerun_of"),
        cloned_from=row.experiment.get("cloned_from"),
        children=[job(one, lang) for one in jobs.children(tx, row.id)],
    )


def stream_note(row: StreamNote, lang: Lang) -> wire.StreamNote:
    """Return what there is to say of a stream."""
    return wire.StreamNote(
        attempt=row.attempt,
        path=row.path,
        kind=row.kind,
        text=row.text.pick(lang),
        offset=row.offset,
        count=row.count,
    )


def attempt(row: Attempt, lang: Lang) -> wire.Attempt:
    """Return an attempt."""
    return wire.Attempt(
        number=row.number,
        state=row.state,
        reason=row.reason,
        message=pick(row.message, lang),
        exit_code=row.exit_code,
        resume=row.resume,
        created_at=from_unix(row.created_at),
        started_at=from_unix(row.started_at),
        ended_at=from_unix(row.ended_at),
        heartbeat_at=from_unix(row.heartbeat_at),
    )


def output(row: Artifact) -> wire.Output:
    """Return something a job left."""
    return wire.Output(
        kind=row.kind,
        name=row.name,
        path=row.path,
        size=row.size,
        digest=row.digest,
        ref=f"job:{row.job_id}" if row.kind == "model" else None,
        meta=row.meta,
        created_at=from_unix(row.created_at),
    )


def alert(row: Event, lang: Lang) -> wire.Alert:
    """Return an alert as clients see it."""
    return wire.Alert(
        attempt=row.data["attempt"],
        step=row.data["step"],
        code=row.data["code"],
        text=pick(row.text, lang) or "",
        time=from_unix(row.time),
    )


def event(row: Event, lang: Lang) -> wire.Event:
    """Return an event."""
    return wire.Event(
        id=row.id,
        job=row.job_id,
        time=from_unix(row.time),
        kind=row.kind,
        text=pick(row.text, lang),
        data=row.data,
    )


def dataset(row: Dataset) -> datasets_wire.Dataset:
    """Return a version of a dataset."""
    return datasets_wire.Dataset(
        name=row.name,
        version=row.version,
        ref=f"dataset:{row.name}@{row.version}",
        digest=row.digest,
        rows=row.rows,
        bytes=row.bytes,
        columns=row.columns,
        file=row.filename,
        description=row.description,
        created_at=from_unix(row.created_at),
    )


def model(row: Model) -> models_wire.Model:
    """Return a version of a model."""
    return models_wire.Model(
        name=row.name,
        version=row.version,
        ref=f"model:{row.name}@{row.version}",
        kind=row.kind,
        location=row.location,
        digest=row.digest,
        bytes=row.bytes,
        architecture=row.architecture,
        job=row.job_id,
        description=row.description,
        created_at=from_unix(row.created_at),
    )


def score(row: Score, runs: board_wire.Runs | None = None) -> board_wire.Score:
    """Return a score; ``runs`` are those of the same model with the same settings."""
    return board_wire.Score(
        model=row.model or f"job:{row.job_id}",
        job=row.job_id,
        benchmark=row.benchmark,
        metric=row.metric,
        value=finite(row.value),
        stderr=finite(row.stderr),
        items=row.items,
        higher_is_better=row.higher_is_better,
        settings=row.settings,
        settings_digest=row.settings_digest,
        created_at=from_unix(row.created_at),
        contamination=contamination(row),
        runs=runs,
    )


def contamination(row: Score) -> board_wire.Contamination | None:
    """Return what is known of a score's items in the training data."""
    if row.seen is None or row.seen_of is None:
        return None
    return board_wire.Contamination(seen=row.seen, items=row.seen_of)


def series(row: Series, about: dict[str, Any]) -> metrics_wire.Series:
    """Return a metric without points; ``about`` holds what the recipe says of it."""
    return metrics_wire.Series(
        name=row.name,
        native=row.native,
        count=row.count,
        last_step=row.last_step,
        last_value=finite(row.last_value),
        min=finite(row.minimum),
        max=finite(row.maximum),
        **about,
    )


def within(path: str, folder: Path) -> Path | None:
    """Return ``folder/path`` when it really lies inside ``folder``, following links."""
    root = folder.resolve()
    try:
        target = (root / path).resolve()
    except (OSError, ValueError):
        return None
    return target if target.is_relative_to(root) else None
