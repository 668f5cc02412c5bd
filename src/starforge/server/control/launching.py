"""Starts the attempt that got its slots."""

from __future__ import annotations

import errno

import structlog

from starforge.engines.base import Launch
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.control.finish import Ending, record
from starforge.server.control.queue import Grant
from starforge.server.core import Core
from starforge.server.services import models, runtimes
from starforge.server.store import attempts, events, jobs
from starforge.server.store.records import AttemptChange, JobChange, JobSummary

log = structlog.get_logger("starforge.control")


def grant(core: Core, given: Grant) -> bool:
    """Record that a job may start, with its devices; the engine is asked in a later step."""
    job = given.job
    with core.db.write() as tx:
        taken = jobs.change(
            tx, job.id, JobChange(state="starting", reason=None, message=None), expect={"queued"}
        )
        if taken:
            attempts.change(
                tx,
                job.id,
                job.current_attempt or 0,
                AttemptChange(state="starting", engine_state={"gpus": list(given.gpus)}),
            )
            text = Text("got its slots; starting", "已分到资源，正在启动")
            events.add(tx, "starting", job_id=job.id, text=text)
    if taken:
        core.bus.publish("job", job.id)
    return taken


def launch(core: Core, job: JobSummary) -> bool:
    """Ask the engine to start the current attempt; harmless when it was asked before.

    Returns whether it was asked: on a full disk the job waits for room instead, and this
    is to be tried again.
    """
    try:
        core.engine.submit(_launch_of(core, job))
    except StarForgeError as error:
        _failed(core, job, error.message)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            _wait_for_room(core, job, error)
            return False
        reason = error.strerror or str(error)
        where = f" ({error.filename})" if error.filename else ""
        _failed(
            core,
            job,
            Text(
                f"the job could not be started: {reason}{where}",
                f"任务无法启动：{reason}{where}",
            ),
        )
    return True


def _wait_for_room(core: Core, job: JobSummary, error: OSError) -> None:
    """Say that a job can't be started yet: a full disk is no failure of the job."""
    if job.reason == "waiting_for_room":
        return
    where = error.filename or core.settings.job_dir(job.id)
    text = Text(
        f"waits for disk space to start: no space left for {where}",
        f"等待磁盘空间以启动：{where} 空间不足",
    )
    log.warning("no room to launch", job=job.id, path=str(where))
    with core.db.write() as tx:
        change = JobChange(reason="waiting_for_room", message=text)
        jobs.change(tx, job.id, change, expect={"starting"})
    core.bus.publish("job", job.id)


def _failed(core: Core, job: JobSummary, message: Text) -> None:
    log.warning("launch failed", job=job.id, error=message.en)
    record(core, job, Ending("failed", "launch_failed", message))


def _launch_of(core: Core, job: JobSummary) -> Launch:
    number = job.current_attempt or 0
    with core.db.read() as tx:
        full = jobs.get(tx, job.id)
        attempt = attempts.get(tx, job.id, number)
        spent = attempts.seconds(tx, job.id)
    state = attempt.engine_state if attempt else {}
    return Launch(
        job_id=job.id,
        attempt=number,
        job_dir=core.settings.job_dir(job.id),
        plan=full.plan,
        python=runtimes.interpreter(core, full.plan),
        models=models.chosen(full),
        resume=bool(attempt and attempt.resume),
        server_url=core.url,
        job_token=core.tokens.job_token(job.id),
        spent=spent,
        gpus=[int(index) for index in state.get("gpus", [])],
        lang=full.experiment.get("lang"),
    )
