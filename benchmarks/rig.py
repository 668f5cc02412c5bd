"""A real server on a home of its own, and real jobs on it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.harness import environ, process_cpu, wait_for
from starforge.client.client import Client
from starforge.client.submit import submit
from starforge.prepare import prepare
from starforge.wire.jobs import TERMINAL, JobDetail

HERE = Path(__file__).parent


class Rig:
    """One server process; ``folder`` is for whatever a benchmark needs."""

    def __init__(self, folder: Path, *, wide: bool = False, **env: str) -> None:
        self.folder = folder
        self.home = folder / "home"
        # The engine hands out the CPUs the machine has; `wide` lets many idle jobs run at once.
        start = [str(HERE / "wide_server.py")] if wide else ["-m", "starforge.server"]
        self.process = subprocess.Popen(
            [sys.executable, *start, "--port", "0"],
            env=environ(STARFORGE_HOME=str(self.home), **env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(folder / "server.stderr").open("wb"),
            start_new_session=True,
        )
        wait_for(self._is_up)
        self.client = Client(self.url, (self.home / "token").read_text("utf-8").strip())

    def _is_up(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError((self.folder / "server.stderr").read_text("utf-8"))
        with suppress(OSError, ValueError, KeyError):
            about = json.loads((self.home / "server.json").read_text("utf-8"))
            self.url = str(about["url"])
            return int(about["pid"]) == self.process.pid
        return False

    @property
    def pid(self) -> int:
        """The server's process."""
        return self.process.pid

    def cpu(self) -> float:
        """Return the CPU seconds of the server and of all runners and jobs that ended."""
        return process_cpu(self.pid)

    def experiment(self, name: str, script: str, files: dict[str, str] | None = None) -> Path:
        """Write an experiment around a shell script."""
        folder = self.folder / "lab" / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in {"train.sh": script, **(files or {})}.items():
            (folder / file).write_text(text, "utf-8")
        document = {"method": "custom/custom", "policies": {"stop_grace": 2}}
        (folder / "experiment.yaml").write_text(json.dumps(document), "utf-8")
        return folder

    def send(self, folder: Path, **more: Any) -> JobDetail:
        """Prepare and submit an experiment."""
        prepared = prepare(folder)
        if not prepared.ok:
            raise RuntimeError(str([finding.message.en for finding in prepared.findings]))
        return submit(self.client, prepared, **more)

    def wait_ended(self, job: str, patience: float = 300.0) -> JobDetail:
        """Wait for a job to succeed, with its runner gone and reaped.

        Its folder is looked at first: asking the server all the time would load it.
        """
        wait_for(lambda: self._runner_says(job) in TERMINAL, patience, 0.1)
        wait_for(lambda: self.client.jobs.get(job).state in TERMINAL, patience, 0.1)
        found = self.client.jobs.get(job)
        if found.state != "succeeded":
            raise RuntimeError(f"job is {found.state}: {found.reason}: {found.message}")
        return found

    def _runner_says(self, job: str) -> str:
        with suppress(OSError, ValueError):
            status = self.home / "jobs" / job / "attempt-0" / "status.json"
            return str(json.loads(status.read_text("utf-8"))["state"])
        return "queued"

    def stop_all(self) -> None:
        """End the jobs that still run."""
        known = self.client.jobs.page(size=500).jobs
        live = [one.id for one in known if one.state not in TERMINAL]
        for one in live:
            self.client.jobs.stop(one, force=True)
        for one in live:
            wait_for(lambda one=one: self.client.jobs.get(one).state in TERMINAL, 120, 0.1)

    def close(self) -> None:
        """End what still runs, then the server."""
        with suppress(Exception):
            self.stop_all()
        self.client.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@contextmanager
def rig(*, wide: bool = False, **env: str) -> Iterator[Rig]:
    """Start a server on a fresh home; everything of it is gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="starforge-bench-"))
    made = None
    try:
        made = Rig(folder, wide=wide, **env)
        time.sleep(1.0)  # its warm-up is not part of any figure
        yield made
    finally:
        if made is not None:
            made.close()
        shutil.rmtree(folder, ignore_errors=True)
