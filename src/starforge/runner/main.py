"""Run one attempt from its folder: launch, watch, ship, and write how it ended."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from types import FrameType

from starforge import layout
from starforge.runner import reap, stacks, texts
from starforge.runner.alerts import AlertFile
from starforge.runner.hardware import Hardware
from starforge.runner.heartbeat import Heartbeat
from starforge.runner.journal import Journal
from starforge.runner.launch import LaunchError, LaunchFile, StreamSpec, read_launch
from starforge.runner.learning import LearningWatch
from starforge.runner.limits import DiskWatch, StallWatch
from starforge.runner.policies import NanWatch
from starforge.runner.server import IngestServer
from starforge.runner.ship import Shipper
from starforge.runner.status import TERMINAL, Ending, Status
from starforge.runner.supervise import Supervisor, Watches
from starforge.runner.tail import Tail
from starforge.runner.wake import Wake

_STATUS_PATIENCE = 60.0


def main(argv: list[str]) -> int:
    """Run the attempt in the folder ``argv[0]``; 0 unless the folder itself is of no use.

    When another runner has this attempt, or it has ended already, nothing is touched.
    """
    if len(argv) != 1 or not Path(argv[0]).is_dir():
        sys.stderr.write("usage: python -m starforge.runner ATTEMPT_DIR\n")
        return 2
    attempt_dir = Path(argv[0]).resolve()
    try:
        lock = os.open(
            attempt_dir / layout.RUNNER_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644
        )
    except OSError as error:
        sys.stderr.write(f"{attempt_dir}: the runner can't write here: {error}\n")
        return 2
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return 0
    try:
        if not (attempt_dir / layout.STATUS).exists():
            Runner(attempt_dir).run()
    finally:
        os.close(lock)
    return 0


class Runner:
    """One attempt, from its launch file to its final status."""

    def __init__(self, attempt_dir: Path) -> None:
        self._dir = attempt_dir
        self._journal = Journal(attempt_dir / layout.RUNNER_LOG)
        self._status = Status(attempt_dir, self._journal)
        self._wake = Wake()
        self._supervisor: Supervisor | None = None
        self._heartbeat: Heartbeat | None = None
        self._signals = 0

    def run(self) -> None:
        """Run to the end; whatever happens, a final status is written."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # only to wake the loop
        self._wake.on_signals()
        self._status.state("starting")
        try:
            ending = self._attempt(read_launch(self._dir))
        except LaunchError as error:
            ending = Ending("failed", "launch_failed", error.said)
        except Exception as error:
            self._journal.say(traceback.format_exc())
            if self._supervisor is not None:
                self._supervisor.clear()
            ending = Ending("failed", "runner_error", texts.defect(repr(error)))
        self._finish(ending)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        if self._supervisor is not None:
            self._supervisor.request_stop()

    def _attempt(self, launch: LaunchFile) -> Ending:
        """Run the processes with everything around them; return how it ended."""
        if not reap.become_subreaper():
            self._journal.say("orphans can't be adopted on this system")
        tail = Tail(
            self._dir, [*launch.streams, *(StreamSpec(format=f, path=p) for f, p in layout.STREAMS)]
        )
        supervisor = Supervisor(
            launch, self._dir, status=self._status, journal=self._journal,
            wake=self._wake, watches=self._watches(launch, tail),
        )  # fmt: skip
        self._supervisor = supervisor
        if self._signals:
            supervisor.request_stop()
        shipper = self._connect(launch, tail, supervisor)
        (self._dir / layout.METRICS).mkdir(exist_ok=True)
        hardware = Hardware(self._dir, self._journal, gpus=_visible_gpus(launch))
        hardware.start()
        try:
            ending = supervisor.run()
            hardware.close()
            hardware.write()
            if shipper is not None:
                self._drain(shipper, launch.ship_timeout, supervisor)
        finally:
            hardware.close()
            if shipper is not None:
                shipper.close()
        return ending

    def _watches(self, launch: LaunchFile, tail: Tail) -> Watches:
        policies = launch.policies
        return Watches(
            nan=NanWatch(tail, policies),
            disk=DiskWatch(self._dir, policies),
            stall=StallWatch(self._dir, tail, policies),
            learning=LearningWatch(tail, policies),
            alerts=AlertFile(self._dir, self._journal),
        )

    def _connect(self, launch: LaunchFile, tail: Tail, supervisor: Supervisor) -> Shipper | None:
        """Start shipping and heartbeats when there is a server."""
        if not launch.server:
            return None

        def connection(timeout: float) -> IngestServer:
            return IngestServer(
                launch.server or "", launch.token, launch.tag,
                server_file=launch.server_file, timeout=timeout,
            )  # fmt: skip

        shipper = Shipper(tail, connection(30.0), self._journal)
        shipper.start()
        self._heartbeat = Heartbeat(
            connection(5.0), self._status, self._journal, supervisor.request_stop_once
        )
        self._heartbeat.start()
        return shipper

    def _drain(self, shipper: Shipper, timeout: float, supervisor: Supervisor) -> None:
        """Ship what is left for a limited time; a (further) request to stop cuts it short."""
        deadline = time.monotonic() + timeout
        shipper.finish()
        while not shipper.done and not supervisor.unheard:
            if time.monotonic() >= deadline:
                self._journal.say("not everything could be shipped; it stays in the folder")
                break
            self._wake.wait(0.1)

    def _finish(self, ending: Ending) -> None:
        """Write the final status and beat once more.

        On a full disk this waits for room, however long: without its last status the
        attempt would count as lost. A signal ends the waiting.
        """
        assert ending.state in TERMINAL
        deadline = time.monotonic() + _STATUS_PATIENCE
        signals = self._signals
        while not self._status.state(ending.state, ending) and self._signals == signals:
            if time.monotonic() >= deadline and not self._status.no_room:
                break
            self._wake.wait(1.0)
        stacks.clean(self._dir)
        if self._heartbeat is not None:
            self._heartbeat.close()
        self._journal.say(f"{ending.state}: {ending.reason}")


def _visible_gpus(launch: LaunchFile) -> str | None:
    """Return the ``CUDA_VISIBLE_DEVICES`` of the job's processes, all taken together."""
    seen = [
        spec.env.get("CUDA_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES"))
        for spec in launch.processes
    ]
    if any(one is None for one in seen):
        return None
    return ",".join(one for one in seen if one)
