"""Other trackers, each in an environment of its own, doing the same work by their own paths.

Environments are made at first use below ``.cache/bench`` (``STARFORGE_BENCH_PEERS`` names
another folder), from the versions below.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil

from benchmarks.harness import cpu_seconds, ending, environ, process_cpu, wait_for

PINS = {"trackio": "trackio==0.43.0", "mlflow": "mlflow==3.17.2"}
SCRIPTS = Path(__file__).parent / "peer_scripts"
ROOT = Path(__file__).parents[1]
WIDTH = 10
"""Values a step; the scripts log as many."""


def python_of(peer: str) -> str:
    """Return the interpreter of a peer's environment, which is made when it is missing."""
    base = Path(os.environ.get("STARFORGE_BENCH_PEERS") or ROOT / ".cache" / "bench")
    python = base / peer / "bin" / "python"
    done = base / peer / "installed.txt"
    if not done.is_file() or done.read_text("utf-8") != PINS[peer]:
        subprocess.run([sys.executable, "-m", "venv", base / peer], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, PINS[peer]], check=True)
        done.write_text(PINS[peer], "utf-8")
    return str(python)


def trackio_local(steps: int) -> float:
    """Return points per CPU second of logging straight into trackio's SQLite file."""
    python = python_of("trackio")
    with tempfile.TemporaryDirectory() as folder:
        env = {"TRACKIO_DIR": folder, "HF_HUB_OFFLINE": "1"}
        argv = [python, str(SCRIPTS / "trackio_log.py")]
        took = cpu_seconds([*argv, str(steps)], env) - cpu_seconds([*argv, "0"], env)
        _expect(Path(folder) / "bench.db", "metrics", steps)
    return steps * WIDTH / took


def trackio_http(steps: int) -> float:
    """Return points per CPU second of trackio's own server and its client together."""
    python = python_of("trackio")
    with tempfile.TemporaryDirectory() as folder:
        env = {"TRACKIO_DIR": f"{folder}/server", "HF_HUB_OFFLINE": "1"}
        serve = subprocess.Popen(
            [python, SCRIPTS / "trackio_serve.py"],
            env=environ(**env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with ending(serve):
            assert serve.stdout is not None
            url = next(line for line in serve.stdout if line.startswith(b"http")).decode().strip()
            mine = env | {"TRACKIO_DIR": f"{folder}/client"}
            argv = [python, str(SCRIPTS / "trackio_log.py")]
            idle = cpu_seconds([*argv, "0", url], mine)
            before = _tree_cpu(serve.pid)
            took = cpu_seconds([*argv, str(steps), url], mine) - idle
            database = Path(folder) / "server" / "bench.db"
            wait_for(lambda: _count(database, "metrics") == steps)
            took += _tree_cpu(serve.pid) - before
    return steps * WIDTH / took


@contextmanager
def mlflow_server() -> Iterator[tuple[str, int, Path]]:
    """Serve MLflow on SQLite; give its URL, its process and its database."""
    python = python_of("mlflow")
    with tempfile.TemporaryDirectory() as folder, closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        database = Path(folder) / "mlflow.db"
        serve = subprocess.Popen(
            [
                python, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port),
                "--backend-store-uri", f"sqlite:///{database}",
                "--default-artifact-root", f"{folder}/artifacts", "--workers", "1",
            ],
            env=environ(), cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        with ending(serve):
            wait_for(lambda: _listens(port), 120, 0.2)
            yield f"http://127.0.0.1:{port}", serve.pid, database


def mlflow_http(server: tuple[str, int, Path], steps: int, how: str) -> float:
    """Return points per CPU second of MLflow's server and its client together."""
    url, pid, database = server
    python = python_of("mlflow")
    argv = [python, str(SCRIPTS / "mlflow_log.py")]
    idle = cpu_seconds([*argv, "0", url, how])
    known, before = _count(database, "metrics"), _tree_cpu(pid)
    took = cpu_seconds([*argv, str(steps), url, how]) - idle
    took += _tree_cpu(pid) - before
    made = _count(database, "metrics") - known
    if made != steps * WIDTH:
        raise RuntimeError(f"MLflow holds {made} points of {steps * WIDTH}")
    return steps * WIDTH / took


def _tree_cpu(pid: int) -> float:
    """Return the CPU seconds of a live process and of those below it."""
    below = psutil.Process(pid).children(recursive=True)
    return sum(process_cpu(one) for one in (pid, *(child.pid for child in below)))


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _count(database: Path, table: str) -> int:
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.OperationalError:
        return -1


def _expect(database: Path, table: str, rows: int) -> None:
    found = _count(database, table)
    if found != rows:
        raise RuntimeError(f"{database.name} holds {found} rows of {rows}")
