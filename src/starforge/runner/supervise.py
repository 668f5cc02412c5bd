"""Watch over the processes of an attempt until the last one is gone."""

from __future__ import annotations

import errno
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from starforge import layout
from starforge.runner import folders, reap, shm, stacks, texts
from starforge.runner.alerts import AlertFile
from starforge.runner.journal import Journal
from starforge.runner.launch import LaunchError, LaunchFile, Started, start_all
from starforge.runner.learning import LearningWatch
from starforge.runner.limits import DiskWatch, StallWatch
from starforge.runner.machine import machine_failure
from starforge.runner.policies import NanWatch
from starforge.runner.procs import Proc
from starforge.runner.status import Ending, Status
from starforge.runner.texts import Said
from starforge.runner.wake import Wake
from starforge.streams.progress_bars import fold

_LIVENESS = 0.5
_POLICY = 1.0
_SHARED = 10.0  # between looks at shared memory
_LEFTOVER_GRACE = 5.0
_TAIL_BYTES = 8192
_TAIL_LINES = 5
# Escape sequences of ECMA-48 (CSI, OSC, others), and what is left of control characters.
_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f]"
)


@dataclass(frozen=True)
class Watches:
    """What is looked at while the processes run."""

    nan: NanWatch
    disk: DiskWatch
    stall: StallWatch
    learning: LearningWatch
    alerts: AlertFile


class Supervisor:
    """Starts the processes, applies the policies, and ends everything in the end."""

    def __init__(
        self,
        launch: LaunchFile,
        attempt_dir: Path,
        *,
        status: Status,
        journal: Journal,
        wake: Wake,
        watches: Watches,
    ) -> None:
        self._launch = launch
        self._dir = attempt_dir
        self._status = status
        self._journal = journal
        self._wake = wake
        self._watches = watches
        self._started: list[Started] = []
        self._ending: Ending | None = None
        self._kill_at: float | None = None
        self._killed = False
        self._requests = 0
        self._handled = 0
        self._segments: set[Path] = set()

    def request_stop(self) -> None:
        """Ask to stop, as the user does (from any thread or signal handler).

        A second request skips the grace period.
        """
        self._requests += 1
        self._wake.set()

    def request_stop_once(self) -> None:
        """Ask to stop unless that was asked already (heartbeats repeat it)."""
        if self._requests == 0:
            self.request_stop()

    @property
    def unheard(self) -> bool:
        """Whether a stop was asked for since the processes were last told to."""
        return self._requests > self._handled

    def run(self) -> Ending:
        """Start everything, wait for the end, leave no process, and say how it ended."""
        try:
            start_all(self._launch, self._dir, self._started)
        except LaunchError as error:
            self._ending = _not_launched(error.__cause__, error.said)
        except OSError as error:
            self._ending = _not_launched(error, texts.launch_failed("the job", str(error)))
        else:
            self._status.state("running")
            self._loop()
        self.clear()
        return self._ending or self._ended_well()

    def clear(self) -> None:
        """End every process of the attempt that is still there, and remove its folders."""
        self._collect()
        left = [proc.pid for proc in self._find()]
        if not left:
            self._remove_outside()
            return
        self._journal.say(f"ending processes left behind: {left}")
        grace = 0.0 if self._killed else min(self._launch.policies.stop_grace, _LEFTOVER_GRACE)
        if not reap.end_all(self._find, grace=grace, tick=self._collect):
            left = [proc.pid for proc in self._find()]
            self._journal.say(f"these processes can't be ended: {left}")
            return
        self._remove_outside()

    def _remove_outside(self) -> None:
        """Remove what processes left elsewhere that ended before this could look at them."""
        folders.remove(self._dir)
        shm.remove(self._segments)

    def _loop(self) -> None:
        began = time.monotonic()
        next_look = time.monotonic() + _POLICY
        next_shared = next_look
        while self._alive():
            self._handle_requests()
            now = time.monotonic()
            over = self._time_ending(now - began) if self._ending is None else None
            if over is not None:
                self._stop(over)
            if now >= next_look:
                next_look = now + _POLICY
                self._status.refresh()
                self._collect()
                self._apply_policies()
            if now >= next_shared:
                next_shared = now + _SHARED
                seen = self._segments | shm.mapped(proc.pid for proc in self._find())
                self._segments = {path for path in seen if path.exists()}
            if self._kill_at is not None and now >= self._kill_at:
                self._kill_at = None
                self._kill()
            self._wake.wait(_LIVENESS)
        self._status.refresh()

    def _alive(self) -> bool:
        """Poll every process; the first failure ends the others. Say if any is left."""
        alive = False
        for one in self._started:
            code = one.popen.poll()
            if code is None:
                alive = True
            elif code != 0 and self._ending is None:
                failure = self._failure(one, code)
                # Without room most programs fail at their next write, before the next look.
                no_room = self._disk_ending(failure.said) if code != -signal.SIGKILL else None
                self._ending = no_room or failure
        if alive and self._ending is not None and self._kill_at is None and not self._killed:
            self._stop(self._ending)
        return alive

    def _handle_requests(self) -> None:
        requests = self._requests
        if requests == self._handled:
            return
        first, self._handled = self._handled == 0, requests
        if self._ending is None:
            self._stop(Ending("stopped", "stopped_by_user", texts.STOPPED))
        if not first or requests > 1:
            self._kill_at = time.monotonic()

    def _stop(self, ending: Ending) -> None:
        """Begin to end: SIGTERM to every process group, SIGKILL after the grace period."""
        self._ending = ending
        self._journal.say(f"stopping: {ending.reason}")
        self._status.state("stopping", ending)
        groups = {one.popen.pid for one in self._started}
        reap.send([p for p in self._find() if p.group in groups], signal.SIGTERM)
        self._kill_at = time.monotonic() + self._launch.policies.stop_grace

    def _kill(self) -> None:
        self._killed = True
        self._journal.say("the grace period is over: killing what is left")
        reap.end_all(self._find, grace=0.0, tick=self._collect)

    def _apply_policies(self) -> None:
        if self._ending is None:
            ending = (
                self._nan_ending()
                or self._disk_ending()
                or self._learning_ending()
                or self._stall_ending()
            )
            if ending is not None:
                self._stop(ending)

    def _time_ending(self, ran: float) -> Ending | None:
        """Return the ending of an attempt that has run for ``ran`` seconds, if that is enough."""
        limit, budget = self._launch.policies.time_limit, self._launch.policies.budget
        if limit is not None and ran >= limit:
            return Ending("failed", "time_limit", texts.time_limit(limit))
        if budget is not None and ran >= budget:
            return Ending("stopped", "budget", texts.BUDGET)
        return None

    def _learning_ending(self) -> Ending | None:
        """Write down what looks wrong with the learning; return an ending if it is hopeless."""
        self._watches.alerts.flush()
        for alert in self._watches.learning.look():
            if alert.stop:
                return Ending("failed", alert.code, alert.said)
            self._watches.alerts.add(alert)
        return None

    def _disk_ending(self, also: Said | None = None) -> Ending | None:
        found = self._watches.disk.look()
        if found is None:
            return None
        said = texts.disk_full(*found, str(self._dir))
        return Ending("stopped", "disk_full", said.also(also) if also else said)

    def _stall_ending(self) -> Ending | None:
        idle = self._watches.stall.look()
        if idle is None:
            return None
        dumped: str | None = stacks.FILE
        try:
            stacks.dump(self._dir, self._find(), f"no progress for {idle:.0f} s")
        except OSError as error:
            dumped = None
            self._journal.say(f"the stacks could not be written: {error}")
        return Ending("failed", "stalled", texts.stalled(idle, dumped))

    def _nan_ending(self, *, to_the_end: bool = False) -> Ending | None:
        found = self._watches.nan.look(to_the_end=to_the_end)
        if found is None:
            return None
        said = texts.nan_loss(found.name, found.value, found.step)
        return Ending("failed", "nan_loss", said)

    def _ended_well(self) -> Ending:
        """Return the ending of processes that all ended with 0, after a last look."""
        completed = Ending("succeeded", "completed", texts.COMPLETED, 0)
        return self._nan_ending(to_the_end=True) or completed

    def _find(self) -> list[Proc]:
        roots = [(one.popen.pid, one.start_ticks) for one in self._started]
        return reap.below_runner(self._launch.tag, roots)

    def _collect(self) -> None:
        for one in self._started:
            one.popen.poll()
        reap.collect_orphans(one.popen.pid for one in self._started)

    def _failure(self, one: Started, code: int) -> Ending:
        tail = last_lines(self._dir / layout.LOGS / f"{one.spec.name}.log")
        if code > 0:
            said = texts.exit_code(one.spec.name, code, tail, own_reason(self._dir))
            sign = machine_failure(tail)
            if sign:
                return Ending("failed", "machine_failure", texts.machine(sign).also(said), code)
            return Ending("failed", "exit_code", said, code)
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return Ending(
            "failed", "signal", texts.killed(one.spec.name, -code, name, tail), 128 - code
        )


def _not_launched(cause: BaseException | None, said: Said) -> Ending:
    """Return the ending of a job that could not be started; a full disk is no failure."""
    if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
        return Ending("stopped", "disk_full", texts.no_room(str(cause)))
    return Ending("failed", "launch_failed", said)


def own_reason(attempt_dir: Path) -> str:
    """Return why the job itself says it gave up; nothing when it did not say."""
    try:
        with (attempt_dir / layout.FAILURE).open(encoding="utf-8", errors="replace") as handle:
            return _CODES.sub("", handle.read(_TAIL_BYTES)).strip()
    except OSError:
        return ""


def last_lines(path: Path) -> str:
    """Return the last few lines of a log that are not empty, without colours and other codes
    for terminals; an unreadable log has none.
    """
    try:
        with path.open("rb") as handle:
            size = handle.seek(0, 2)
            handle.seek(max(0, size - _TAIL_BYTES))
            read = handle.read(_TAIL_BYTES)
    except OSError:
        return ""
    text = b"\n".join(fold(line) for line in read.split(b"\n")).decode("utf-8", "replace")
    plain = _CODES.sub("", text.replace("\r", "\n"))
    lines = [line.rstrip()[:400] for line in plain.splitlines()]
    return "\n".join([line for line in lines if line][-_TAIL_LINES:])
