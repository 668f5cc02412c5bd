"""Run the job of a smoke run by the ordinary runner, and leave no process behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from starforge import layout
from starforge.engines.base import Launch
from starforge.engines.launch import launch_document, write_launch
from starforge.engines.local.environ import job_environ
from starforge.runner.reap import kill_tagged

LOOK = 0.25  # seconds between looks
GRACE = 40.0  # seconds the runner has to end its processes before they are killed

Watch = Callable[[Path], bool]


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How the attempt ended: the runner's ``status.json``, and whether ``watch`` ended it."""

    status: dict[str, Any]
    enough: bool
    seconds: float

    @property
    def state(self) -> str:
        """``succeeded``, ``failed`` or ``stopped``."""
        return str(self.status.get("state", "failed"))


def execute(launch: Launch, watch: Watch) -> Ended:
    """Run an attempt to its end; ``watch`` sees its folder often, and ends it with true.

    Whatever interrupts this, every process of the attempt is gone when it returns or raises.
    """
    folder = layout.attempt_dir(launch.job_dir, launch.attempt)
    folder.mkdir(parents=True, exist_ok=True)
    write_launch(folder / layout.LAUNCH, launch_document(launch, ship_timeout=0))
    began = time.monotonic()
    runner = _start(folder)
    enough = False
    try:
        while runner.poll() is None:
            if watch(folder) and not enough:
                enough = True
                runner.send_signal(signal.SIGTERM)
            time.sleep(LOOK)
        watch(folder)
    finally:
        _end(runner, launch, folder)
    seconds = time.monotonic() - began
    return Ended(status=read_json(folder / layout.STATUS), enough=enough, seconds=seconds)


def _start(folder: Path) -> subprocess.Popen[bytes]:
    with (folder / layout.RUNNER_LOG).open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "starforge.smoke.child", str(folder), str(os.getpid())],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, env=job_environ(),
            start_new_session=True,
        )  # fmt: skip


def _end(runner: subprocess.Popen[bytes], launch: Launch, folder: Path) -> None:
    """End the runner and whatever it started; a further Ctrl-C does not interrupt this."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if _in_main_thread() else None
    try:
        if runner.poll() is None:
            runner.send_signal(signal.SIGTERM)
            try:
                runner.wait(GRACE)
            except subprocess.TimeoutExpired:
                runner.kill()
                runner.wait()
        kill_tagged(launch.key, attempt_dir=folder)
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _in_main_thread() -> bool:
    import threading

    return threading.current_thread() is threading.main_thread()


def read_json(path: Path) -> dict[str, Any]:
    """Return a JSON object; empty when it is missing or half written."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
