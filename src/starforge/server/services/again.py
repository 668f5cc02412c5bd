"""Another attempt of a job that has ended: asked for, or because its machine failed."""

from __future__ import annotations

from pathlib import Path

from starforge import layout
from starforge.i18n import Text
from starforge.plan import LaunchPlan
from starforge.server.core import Core
from starforge.server.services import models
from starforge.server.store import attempts, events, jobs
from starforge.server.store.database import Tx
from starforge.server.store.records import ENDED, AttemptChange, JobChange, JobSummary

MACHINE = frozenset({"runner_lost", "runner_error", "machine_failure"})
"""Reasons of ends that are the machine's fault, never the job's."""
EVENT = "machine_retry"

RESUMED = Text("queued again, from the last checkpoint", "重新排队，将从最后的检查点继续")
RETRIED = Text("queued again, from scratch", "重新排队，将从头开始")


def queue(
    tx: Tx, job: JobSummary, plan: LaunchPlan, *, resume: bool, kind: str, text: Text
) -> bool:
    """Give an ended job a new attempt that waits for its slots; say whether it had ended."""
    change = JobChange(
        state="queued",
        desired="run",
        reason=None,
        message=None,
        ended_at=None,
        follow_ups="due" if plan.then else None,
    )
    if not jobs.change(tx, job.id, change, expect=ENDED):
        return False
    attempt = attempts.create(tx, job.id, resume=resume)
    attempts.change(tx, job.id, attempt.number, AttemptChange(state="queued"))
    if not resume:
        jobs.change(tx, job.id, JobChange(started_at=None, progress_step=None))
    events.add(tx, kind, job_id=job.id, text=text, data={"attempt": attempt.number})
    return True


def can_resume(core: Core, job_id: str, plan: LaunchPlan) -> bool:
    """Say whether another attempt can go on from a checkpoint."""
    resumable = plan.checkpoints is not None and plan.checkpoints.resumable
    return resumable and models.has_checkpoint(core, job_id, plan)


def set_aside(core: Core, job_id: str, attempt: int) -> None:
    """Move what earlier attempts put out aside, so that a new one starts from scratch."""
    output = core.settings.job_dir(job_id) / layout.OUTPUT
    if output.exists():
        output.rename(free(output.with_name(f"{layout.OUTPUT}-{attempt}")))


def free(path: Path) -> Path:
    """Return ``path``, or it with a number when it exists."""
    chosen, number = path, 1
    while chosen.exists():
        chosen, number = path.with_name(f"{path.name}.{number}"), number + 1
    return chosen


class MachineRetry:
    """What becomes of a job whose machine failed: decided before its end is recorded."""

    def __init__(self, core: Core, job: JobSummary, state: str, reason: str) -> None:
        """Look whether ``policies.retries`` allows another attempt, and prepare it."""
        self._job, self._plan = job, core.plan(job.id)
        self._allowed = self._plan.policies.retries
        with core.db.read() as tx:
            self._done = events.count(tx, job.id, EVENT)
        failed = state == "failed" and reason in MACHINE and job.desired == "run"
        self.wanted = failed and self._done < self._allowed
        self._resume = self.wanted and can_resume(core, job.id, self._plan)
        if self.wanted and not self._resume:
            set_aside(core, job.id, job.current_attempt or 0)

    def queue(self, tx: Tx) -> None:
        """Queue the attempt in the transaction that records the end of the last one."""
        if not self.wanted or jobs.summary(tx, self._job.id).desired != "run":
            return
        done, allowed = self._done + 1, self._allowed
        how = RESUMED if self._resume else RETRIED
        text = Text(
            f"the machine failed: {how.en} (retry {done} of {allowed})",
            f"机器故障：{how.zh}（第 {done} 次重试，共 {allowed} 次）",
        )
        queue(tx, self._job, self._plan, resume=self._resume, kind=EVENT, text=text)
