"""What end-to-end tests share: servers on private homes, submitting, waiting."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starforge.client.client import Client
from starforge.client.submit import submit
from starforge.prepare import prepare
from starforge.wire.jobs import TERMINAL, JobDetail

START_PATIENCE = 30.0


def wait_for(what: Callable[[], Any], patience: float = 30.0, pause: float = 0.05) -> Any:
    """Return the first true answer of ``what``; fail when none comes in time."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(pause)
    raise AssertionError(f"waited {patience} s in vain")


def free_port() -> int:
    """Return a free port below those that the kernel gives away by itself.

    A server that begins again at its port then finds it free: no other test's got it meanwhile.
    """
    while True:
        port = random.randrange(12_000, 30_000)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


class Server:
    """One home, and the server process on it (which may be killed and started again)."""

    def __init__(self, home: Path, env: dict[str, str] | None = None) -> None:
        self.home = home
        self.env = env or {}
        self.process: subprocess.Popen[str] | None = None
        self.clients: list[Client] = []

    @property
    def about(self) -> dict[str, Any]:
        return json.loads((self.home / "server.json").read_text("utf-8"))

    @property
    def url(self) -> str:
        return str(self.about["url"])

    @property
    def token(self) -> str:
        return (self.home / "token").read_text("utf-8").strip()

    def popen(self, *arguments: str) -> subprocess.Popen[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("STARFORGE_")}
        env = {**kept, "STARFORGE_HOME": str(self.home), "SF_LANG": "en", **self.env}
        return subprocess.Popen(
            [sys.executable, "-m", "starforge.server", *arguments],
            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def start(self, *arguments: str) -> "Server":
        if not arguments:
            arguments = ("--port", str(free_port()))
        self.process = self.popen(*arguments)
        wait_for(self._answers, START_PATIENCE)
        return self

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            assert self.process.stderr is not None
            raise AssertionError(f"server ended: {self.process.stderr.read()}")
        with contextlib.suppress(OSError, ValueError, KeyError):
            if self.about["pid"] == self.process.pid:
                port = int(self.url.rsplit(":", 1)[1])
                with socket.create_connection(("127.0.0.1", port), timeout=1):
                    return True
        return False

    def client(self) -> Client:
        made = Client(self.url, self.token)
        self.clients.append(made)
        return made

    def stop(self) -> int:
        return self._end(signal.SIGTERM)

    def kill(self) -> int:
        return self._end(signal.SIGKILL)

    def _end(self, number: int) -> int:
        while self.clients:
            self.clients.pop().close()
        if self.process is None:
            return 0
        self.process.send_signal(number)
        code = self.process.wait(timeout=20)
        assert self.process.stderr is not None
        self.process.stderr.close()
        self.process = None
        return code


def processes_of(home: Path) -> list[str]:
    """Return the live processes of jobs (and runners) that belong to a home."""
    marks = (f"STARFORGE_ATTEMPT_DIR={home}/".encode(), f"{home}/jobs/".encode())
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if entry.joinpath("stat").read_text().rpartition(")")[2].split()[0] == "Z":
                continue
            environ = (entry / "environ").read_bytes()
            command = (entry / "cmdline").read_bytes()
            if marks[0] in environ or marks[1] in command:
                found.append(f"{entry.name} {command.replace(bytes(1), b' ').decode()}")
    return found


def send(client: Client, folder: Path, **more: Any) -> JobDetail:
    """Prepare and submit an experiment."""
    prepared = prepare(folder, sets=more.get("sets", ()), profile=more.get("profile"))
    assert prepared.ok, [finding.message.en for finding in prepared.findings]
    return submit(client, prepared, **more)


def wait_state(client: Client, job: str, *states: str, patience: float = 30.0) -> JobDetail:
    def reached() -> JobDetail | None:
        found = client.jobs.get(job)
        if found.state in TERMINAL and found.state not in states:
            raise AssertionError(f"job is {found.state}: {found.reason}: {found.message}")
        return found if found.state in states else None

    return wait_for(reached, patience)


def wait_ended(client: Client, job: str, patience: float = 60.0) -> JobDetail:
    return wait_state(client, job, *TERMINAL, patience=patience)


def write_experiment(lab: Path, script: str, name: str = "exp", **keys: Any) -> Path:
    """Write a custom/custom experiment around a shell script."""
    folder = lab / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.sh").write_text(script, "utf-8")
    document = {"method": "custom/custom", "policies": {"stop_grace": 2}, **keys}
    (folder / "experiment.yaml").write_text(json.dumps(document), "utf-8")
    return folder


def end(server: Server) -> None:
    """Stop a server's jobs and the server; none of their processes is left."""
    with contextlib.suppress(Exception):
        if server.process is not None and server.process.poll() is None:
            client = server.client()
            for job in client.jobs.page(size=200).jobs:
                if job.state not in TERMINAL:
                    client.jobs.stop(job.id, force=True)
                    wait_ended(client, job.id)
    server.kill()
    wait_for(lambda: not processes_of(server.home), 15)
