"""Watching a job: a live view on a terminal, plain lines elsewhere.

Two threads follow the job's events and its log; the main thread only draws, so Ctrl-C
always leaves at once and never touches the job.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from starforge.cli.output import is_terminal, note, print_json, say, state_name
from starforge.cli.watch_lines import Lines, curve_points
from starforge.errors import ExitCode, StarForgeError
from starforge.lang import t
from starforge.wire.jobs import TERMINAL, Job, JobDetail
from starforge.wire.metrics import Curve

if TYPE_CHECKING:
    from starforge.client.client import Client

LOG_LINES = 8
FAILED_LINES = 20
KEPT_POINTS = 2000


class Watched:
    """What is known of a job while it is watched. Threads write, the main thread reads."""

    def __init__(self, job: JobDetail) -> None:
        self.job: Job = job
        self.primary = list(job.primary_metrics)
        self.curves: dict[str, deque[float]] = {}
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.error: Exception | None = None
        self.ended = threading.Event()
        self.changed = threading.Event()

    def add_points(self, curves: dict[str, Curve]) -> None:
        """Take the points of primary metrics."""
        for name, curve in curves.items():
            if name in self.primary:
                kept = self.curves.setdefault(name, deque(maxlen=KEPT_POINTS))
                kept.extend(curve_points(curve))
        self.changed.set()


def watch(client: Client, job_id: str, *, as_json: bool = False) -> int:
    """Watch until the job has ended or the user leaves; return the exit code."""
    state = Watched(client.jobs.get(job_id))
    if state.job.state not in TERMINAL:
        state.add_points(_primary_curves(client, state))
        threads = [
            _thread(state, lambda: _follow_events(client, state)),
            _thread(state, lambda: _follow_log(client, state)),
        ]
        try:
            _draw(state, quiet=as_json)
            # Give the log its last lines; it ends with the attempt.
            threads[1].join(2.0)
        except KeyboardInterrupt:
            _leave(job_id)
            return ExitCode.OK
        if state.error is not None:
            raise state.error
    return _finish(client, job_id, as_json=as_json)


def _primary_curves(client: Client, state: Watched) -> dict[str, Curve]:
    if not state.primary:
        return {}
    return client.jobs.metrics(state.job.id, names=state.primary, buckets=200)


def _thread(state: Watched, work: Callable[[], None]) -> threading.Thread:
    def run() -> None:
        try:
            work()
        except Exception as error:
            # Shown by the main thread; a thread has no one to tell.
            state.error = state.error or error
            state.changed.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def _follow_events(client: Client, state: Watched) -> None:
    from pydantic import TypeAdapter

    curves = TypeAdapter(dict[str, Curve])
    for message in client.jobs.follow(state.job.id):
        if message.event == "job":
            state.job = Job.model_validate_json(message.data)
            state.changed.set()
            if state.job.state in TERMINAL:
                break
        elif message.event == "metrics":
            state.add_points(curves.validate_json(message.data))
    state.ended.set()
    state.changed.set()


def _follow_log(client: Client, state: Watched) -> None:
    while not state.ended.is_set():
        try:
            for line in client.jobs.follow_logs(state.job.id, tail=LOG_LINES):
                state.log.append(line.text)
                state.changed.set()
            return
        except StarForgeError as error:
            if error.status != 404:
                raise
            state.ended.wait(1.0)  # nothing was logged yet


def _draw(state: Watched, *, quiet: bool) -> None:
    if quiet:
        while not _over(state):
            state.ended.wait(0.5)
    elif is_terminal():
        _draw_live(state)
    else:
        lines = Lines(state)
        while not _over(state):
            state.changed.wait(0.5)
            state.changed.clear()
            lines.update()
        lines.update(last=True)


def _over(state: Watched) -> bool:
    return state.ended.is_set() or state.error is not None


def _draw_live(state: Watched) -> None:
    from rich.live import Live

    from starforge.cli.output import console
    from starforge.cli.watch_view import render

    with Live(
        render(state), console=console(), refresh_per_second=4, transient=False, auto_refresh=False
    ) as live:
        while not _over(state):
            live.update(render(state), refresh=True)
            time.sleep(0.25)
        live.update(render(state), refresh=True)


def _leave(job_id: str) -> None:
    note("")
    note(
        t(
            "the job goes on: `sf job watch {id}` comes back to it, `sf job stop {id}` stops it",
            "任务仍在运行：`sf job watch {id}` 继续观看，`sf job stop {id}` 停止任务",
            id=job_id,
        )
    )


def _finish(client: Client, job_id: str, *, as_json: bool) -> int:
    """Say how it ended; a failure with its reason and the last lines of the log."""
    job = client.jobs.get(job_id)
    code = ExitCode.OK if job.state == "succeeded" else ExitCode.NOT_FINE
    if as_json:
        print_json(job)
        return code
    why = job.message or job.reason
    state = state_name(job.state)
    if job.state == "succeeded":
        say(t("job {id} succeeded", "任务 {id} 成功", id=job.id))
        for output in job.outputs:
            if output.ref:
                say(f"  {output.kind}: {output.ref}")
        return code
    for line in client.jobs.logs(job_id, tail=FAILED_LINES).lines:
        note(f"  {line.text}")
    note(
        t(
            "job {id} is {state}: {why}",
            "任务 {id} {state}：{why}",
            id=job.id,
            state=state,
            why=(why or "?").splitlines()[0],  # the lines above say the rest
        )
    )
    note(t("`sf job logs {id}` has the whole log", "完整日志：`sf job logs {id}`", id=job.id))
    return code
