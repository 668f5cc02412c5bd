"""Real servers on private homes, real jobs, and the proof that no process is left."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import Server, processes_of, wait_ended, wait_for

from starforge.client.client import Client
from starforge.wire.jobs import TERMINAL


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Make servers; at the end all are stopped and none of their jobs' processes is left."""
    made: list[Server] = []

    def make(name: str = "home", **env: str) -> Server:
        made.append(Server(tmp_path / name, env))
        return made[-1]

    yield make
    for server in made:
        with contextlib.suppress(Exception):
            if server.process is not None and server.process.poll() is None:
                client = server.client()
                for job in client.jobs.page(size=200).jobs:
                    if job.state not in TERMINAL:
                        client.jobs.stop(job.id, force=True)
                        wait_ended(client, job.id)
        server.kill()
        wait_for(lambda home=server.home: not processes_of(home), 15)


@pytest.fixture
def server(servers: Callable[..., Server]) -> Server:
    return servers().start()


@pytest.fixture
def client(server: Server) -> Client:
    return server.client()


@pytest.fixture
def experiment(tmp_path: Path) -> Callable[..., Path]:
    """Write a custom/custom experiment around a shell script."""

    def write(script: str, name: str = "exp", **keys: Any) -> Path:
        folder = tmp_path / "lab" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "train.sh").write_text(script, "utf-8")
        document = {"method": "custom/custom", "policies": {"stop_grace": 2}, **keys}
        (folder / "experiment.yaml").write_text(json.dumps(document), "utf-8")
        return folder

    return write
