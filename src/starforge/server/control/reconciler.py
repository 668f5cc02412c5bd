"""The reconciler: one thread that compares desired with observed, and acts.

Level-triggered: each tick looks at everything that is not at rest and moves it one step;
events only make the next tick come sooner. Nothing is remembered that a restarted server
could not see again.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import structlog

from starforge import layout
from starforge.engines.local.engine import ENDED, read_status
from starforge.i18n import Text
from starforge.server.bus import Message
from starforge.server.control import launching
from starforge.server.control.finish import Ending, finish, record
from starforge.server.control.passes import Passes
from starforge.server.control.queue import Holder, decide
from starforge.server.core import Core
from starforge.server.services import follow_ups, pipeline_runs, sweep_runs
from starforge.server.services.headline import update_headline
from starforge.server.services.status import apply_status, is_news
from starforge.server.store import attempts, jobs, pipelines, sweeps
from starforge.server.store.records import ACTIVE, JobChange, JobSummary

log = structlog.get_logger("starforge.control")

BUSY = 1.0  # seconds between ticks while a job is active
SOON = 0.1  # while an attempt is just starting or just ending
IDLE = 30.0  # nothing to do: events wake it
FORCE_AFTER = 20.0  # seconds past a job's own grace before its processes are killed
HEADLINE_EVERY = 1.0


class Reconciler:
    """Runs :meth:`tick` in a thread until closed."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._wake = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reconciler", daemon=True)
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="finish")
        self._finishing: dict[str, Future[None]] = {}
        self._following = Passes(self._pool, partial(follow_ups.make, core), "follow-ups", pace=0.0)
        self._pipelining = Passes(self._pool, partial(pipeline_runs.advance, core), "pipeline")
        self._sweeping = Passes(self._pool, partial(sweep_runs.advance, core), "sweep")
        self._asked: dict[tuple[str, int], float] = {}  # when an attempt was asked to stop
        self._fresh: set[str] = set()  # jobs with new points since their last headline
        self._headline_at: dict[str, float] = {}
        core.bus.listen(self._hear)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop; jobs go on without us."""
        self._closed.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)
        self._pool.shutdown(wait=True, cancel_futures=True)

    def wake(self) -> None:
        """Make the next tick come now."""
        self._wake.set()

    def _hear(self, message: Message) -> None:
        if message.kind == "metrics" and message.job:
            self._fresh.add(message.job)
        elif message.kind == "wake":
            self._wake.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            began = time.monotonic()
            try:
                pause = self.tick()
            except Exception:
                log.exception("tick failed")
                pause = BUSY
            self._core.counters.ticks += 1
            self._core.counters.tick_seconds += time.monotonic() - began
            self._wake.wait(pause)
            self._wake.clear()

    def tick(self) -> float:
        """Move everything one step; return the seconds until the next look."""
        with self._core.db.read() as tx:
            active = jobs.in_states(tx, ACTIVE)
            queued = jobs.in_states(tx, {"queued"})
            followed = jobs.with_follow_ups_due(tx)
            moving = pipelines.running(tx)
            sweeping = sweeps.running(tx)
        pause = min(self._following.step(followed), self._pipelining.step(moving))
        pause = min(pause, self._sweeping.step(sweeping))
        for job in active:
            try:
                pause = min(pause, self._step(job))
            except Exception:
                log.exception("step failed", job=job.id)
                pause = min(pause, BUSY)
        if queued:
            pause = min(pause, self._schedule(queued))
        return pause

    def _schedule(self, queued: list[JobSummary]) -> float:
        rest = []
        for job in queued:
            if job.desired == "stop":
                text = Text("stopped while it waited", "在排队时被停止")
                record(self._core, job, Ending("stopped", "stopped_by_user", text))
            else:
                rest.append(job)
        devices = self._core.devices
        decision = decide(
            devices.cpus, [gpu.index for gpu in devices.gpus], holders(self._core), rest
        )
        for given in decision.grants:
            launching.grant(self._core, given)
        for job in rest:
            if job.id in decision.waiting:
                self._say_waiting(job, decision.waiting[job.id])
        # What was granted is launched by its first step.
        return 0.0 if decision.grants else BUSY

    def _say_waiting(self, job: JobSummary, why: Text) -> None:
        if job.reason == "waiting_for_slot" and job.message == why:
            return
        with self._core.db.write() as tx:
            change = JobChange(reason="waiting_for_slot", message=why)
            jobs.change(tx, job.id, change, expect={"queued"})
        self._core.bus.publish("job", job.id)

    def _step(self, job: JobSummary) -> float:
        if self._is_finishing(job.id):
            return SOON
        attempt = job.current_attempt or 0
        job_dir = self._core.settings.job_dir(job.id)
        seen = self._core.engine.observe(job.id, attempt, job_dir)
        if seen.state == "pending":
            return SOON if self._start(job) else BUSY
        if seen.state == "running":
            return self._follow(job, attempt)
        if seen.state == "unreachable":
            self._unreachable(job, seen.detail)
            return BUSY
        self._asked.pop((job.id, attempt), None)
        self._fresh.discard(job.id)
        self._headline_at.pop(job.id, None)
        lost = seen.state == "lost"
        self._finishing[job.id] = self._pool.submit(
            finish, self._core, job, lost=lost, detail=seen.detail
        )
        return SOON

    def _is_finishing(self, job_id: str) -> bool:
        future = self._finishing.get(job_id)
        if future is None:
            return False
        if not future.done():
            return True
        del self._finishing[job_id]
        error = future.exception()
        if error is None:
            return True  # our view of the job may be from before it ended: look again
        log.error("finishing failed; trying again", job=job_id, exc_info=error)
        return False

    def _start(self, job: JobSummary) -> bool:
        if job.desired == "stop":
            text = Text("stopped before it started", "在启动之前被停止")
            record(self._core, job, Ending("stopped", "stopped_by_user", text))
            return True
        return launching.launch(self._core, job)

    def _follow(self, job: JobSummary, attempt: int) -> float:
        folder = layout.attempt_dir(self._core.settings.job_dir(job.id), attempt)
        status = read_status(folder)
        if status.get("state") in ENDED:
            return SOON  # the runner is on its way out
        if is_news(job, status):  # the runner's own heartbeats bring most of it
            apply_status(self._core, job.id, attempt, status)
        self._refresh_headline(job.id)
        if job.desired == "stop":
            self._stop(job, attempt)
        return SOON if job.state == "starting" else BUSY

    def _stop(self, job: JobSummary, attempt: int) -> None:
        job_dir = self._core.settings.job_dir(job.id)
        key = (job.id, attempt)
        asked = self._asked.get(key)
        if asked is None:
            self._asked[key] = time.monotonic()
            self._core.engine.cancel(job.id, attempt, job_dir)
            return
        grace = self._core.plan(job.id).policies.stop_grace
        if time.monotonic() - asked > grace + FORCE_AFTER:
            log.warning("runner does not stop; ending its processes", job=job.id)
            self._core.engine.cancel(job.id, attempt, job_dir, force=True)

    def _unreachable(self, job: JobSummary, detail: str) -> None:
        if job.state == "unreachable":
            return
        text = Text(f"the engine can't be reached: {detail}", f"无法连接执行引擎：{detail}")
        with self._core.db.write() as tx:
            jobs.change(tx, job.id, JobChange(state="unreachable", message=text), expect=ACTIVE)
        self._core.bus.publish("job", job.id)

    def _refresh_headline(self, job_id: str) -> None:
        now = time.monotonic()
        if job_id not in self._fresh or now - self._headline_at.get(job_id, 0) < HEADLINE_EVERY:
            return
        self._fresh.discard(job_id)
        self._headline_at[job_id] = now
        if update_headline(self._core, job_id):
            self._core.bus.publish("job", job_id)


def holders(core: Core) -> list[Holder]:
    """Return the jobs that hold slots, with their devices."""
    with core.db.read() as tx:
        found = []
        for job in jobs.in_states(tx, ACTIVE):
            attempt = attempts.get(tx, job.id, job.current_attempt or 0)
            state = attempt.engine_state if attempt else {}
            found.append(Holder(job, tuple(int(index) for index in state.get("gpus", []))))
    return found
