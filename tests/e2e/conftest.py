"""Real servers on private homes, real jobs, and the proof that no process is left."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from e2e_harness import Server, end, write_experiment

from starforge.client.client import Client


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Make servers; at the end all are stopped and none of their jobs' processes is left."""
    made: list[Server] = []

    def make(name: str = "home", **env: str) -> Server:
        made.append(Server(tmp_path / name, env))
        return made[-1]

    yield make
    for server in made:
        end(server)


@pytest.fixture
def server(servers: Callable[..., Server]) -> Server:
    return servers().start()


@pytest.fixture
def client(server: Server) -> Client:
    return server.client()


@pytest.fixture
def experiment(tmp_path: Path) -> Callable[..., Path]:
    """Write a custom/custom experiment around a shell script."""

    return partial(write_experiment, tmp_path / "lab")
