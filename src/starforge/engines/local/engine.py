"""Starts attempts as detached runners and looks at what they left on disk.

Nothing here is remembered: the lock of a live runner, its ``status.json`` and the pid
kept in ``engine.json`` say everything, to this server or to the next one.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.engines.base import Launch, Observation
from starforge.engines.launch import launch_document, write_launch
from starforge.engines.local.environ import job_environ
from starforge.engines.local.processes import boot_id, is_same, send, start_time
from starforge.runner.reap import kill_tagged

ENGINE_FILE = "engine.json"  # pid, start time and boot of the runner we started
ENDED = frozenset({"succeeded", "failed", "stopped"})


class LocalEngine:
    """Runs each attempt as ``python -m starforge.runner`` in a session of its own.

    ``kill_tagged`` finds an attempt's processes by their ``STARFORGE_TAG``, so none stays
    even when the runner was killed.
    """

    name = "local"

    def __init__(self, *, ship_timeout: float = 60.0, server_file: Path | None = None) -> None:
        self._ship_timeout = ship_timeout
        self._server_file = server_file
        self._lock = threading.Lock()
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def submit(self, launch: Launch) -> None:
        """Start the runner unless this attempt was started before."""
        folder = layout.attempt_dir(launch.job_dir, launch.attempt)
        with self._lock:
            if self.observe(launch.job_id, launch.attempt, launch.job_dir).state != "pending":
                return
            folder.mkdir(parents=True, exist_ok=True)
            (launch.job_dir / layout.OUTPUT).mkdir(exist_ok=True)
            document = launch_document(
                launch, ship_timeout=self._ship_timeout, server_file=self._server_file
            )
            write_launch(folder / layout.LAUNCH, document)
            child = _spawn(folder)
            self._children[launch.key] = child
            _write_engine_file(folder, child.pid)

    def observe(self, job_id: str, attempt: int, job_dir: Path) -> Observation:
        """Look at lock, status and pid; reaps the runner when it is our child."""
        child = self._children.get(f"{job_id}/{attempt}")
        if child is not None:
            child.poll()
        folder = layout.attempt_dir(job_dir, attempt)
        known = _read_json(folder / ENGINE_FILE)
        # The lock is tried only when the pid says nothing: trying it takes it for an instant.
        if (known and _is_alive(known)) or is_locked(folder / layout.RUNNER_LOCK):
            return Observation(state="running")
        # A runner writes its last status before it goes, so this is read after that look.
        status = read_status(folder)
        if status.get("state") in ENDED:
            return Observation(state="ended")
        if known or status:
            return Observation(state="lost", detail=_last_words(folder))
        return Observation(state="pending")

    def cancel(self, job_id: str, attempt: int, job_dir: Path, *, force: bool = False) -> None:
        """Ask the runner to stop its processes; end them ourselves with ``force``."""
        folder = layout.attempt_dir(job_dir, attempt)
        tag = f"{job_id}/{attempt}"
        runner = self._runner_pid(folder)
        if not force and runner is not None:
            send(runner, signal.SIGTERM)
            return
        if runner is not None:
            send(runner, signal.SIGKILL)
        kill_tagged(tag, attempt_dir=folder)

    def _runner_pid(self, folder: Path) -> int | None:
        known = _read_json(folder / ENGINE_FILE)
        if known and _is_alive(known):
            return int(known["pid"])
        if not is_locked(folder / layout.RUNNER_LOCK):
            return None
        pid = read_status(folder).get("pid")  # a runner that lived on while we crashed
        return pid if isinstance(pid, int) and start_time(pid) is not None else None


def is_locked(path: Path) -> bool:
    """Say whether a live process holds the exclusive lock on ``path``."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        # A shared lock fails while a runner holds its own, and two looks don't collide.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def read_status(folder: Path) -> dict[str, Any]:
    """Return an attempt's ``status.json``; empty when it is missing or unreadable."""
    return _read_json(folder / layout.STATUS)


def _spawn(folder: Path) -> subprocess.Popen[bytes]:
    with (folder / layout.RUNNER_LOG).open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "starforge.runner", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env=job_environ(),
            start_new_session=True,
            close_fds=True,
        )


def _write_engine_file(folder: Path, pid: int) -> None:
    body = {"pid": pid, "started": start_time(pid) or 0.0, "boot": boot_id()}
    temp = folder / f".{ENGINE_FILE}.new"
    temp.write_text(json.dumps(body), "utf-8")
    temp.replace(folder / ENGINE_FILE)


def _is_alive(known: dict[str, Any]) -> bool:
    if known.get("boot") != boot_id():
        return False
    return is_same(int(known.get("pid", 0)), float(known.get("started", 0.0)))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _last_words(folder: Path) -> str:
    try:
        lines = (folder / layout.RUNNER_LOG).read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return " | ".join(lines[-3:])[-500:]
