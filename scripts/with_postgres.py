"""Run a command with a private PostgreSQL server, named by STARFORGE_TEST_POSTGRES_URL.

Looks for the server programs in PATH and in Debian's place. When they are missing and this
is root on a Debian system, installs the package ``postgresql``; otherwise runs the command
without, and says that the PostgreSQL tests will be skipped.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

USER = "postgres"


def find_bin() -> Path | None:
    """Return the folder with initdb and pg_ctl, if there is one."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    if found:
        places.insert(0, Path(found).resolve().parent)
    return next((p for p in places if (p / "initdb").exists() and (p / "pg_ctl").exists()), None)


def install() -> None:
    """Install Debian's PostgreSQL server, without starting its own cluster."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quiet = ["-qq", "-o", "Dpkg::Use-Pty=0"]
    print("installing PostgreSQL for the tests ...", flush=True)
    for argv in (
        ["apt-get", *quiet, "update"],
        ["apt-get", *quiet, "install", "-y", "--no-install-recommends", "postgresql"],
    ):
        subprocess.run(argv, env=env, check=False, stdout=subprocess.DEVNULL)


def as_user() -> list[str]:
    """PostgreSQL refuses to run as root: the prefix that changes to its own user."""
    if os.geteuid() != 0:
        return []
    pwd.getpwnam(USER)
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups"]


def free_port() -> int:
    """Return a port that is free now on the loopback address."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextlib.contextmanager
def server(programs: Path) -> Iterator[str]:
    """Start a private server in a temporary folder; yield its URL; remove everything."""
    with tempfile.TemporaryDirectory(prefix="sf-pg-") as name:
        folder, prefix, port = Path(name), as_user(), free_port()
        if prefix:
            shutil.chown(folder, USER)
        data = folder / "data"
        quiet = {"stdout": subprocess.DEVNULL, "cwd": "/"}
        initdb = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust"]
        subprocess.run([*prefix, *initdb, "--no-sync"], check=True, **quiet)
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -F"
        pg_ctl = [*prefix, str(programs / "pg_ctl"), "-D", str(data), "-w"]
        log = str(folder / "server.log")
        subprocess.run([*pg_ctl, "-l", log, "-o", options, "start"], check=True, **quiet)
        try:
            yield f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run([*pg_ctl, "-m", "immediate", "stop"], check=False, **quiet)


def run(argv: list[str], env: dict[str, str] | None = None) -> int:
    """Run a command and return its exit code; who ends this process ends the command.

    The server is then stopped as after any end, instead of being left behind.
    """
    with subprocess.Popen(argv, env=env) as child:
        signal.signal(signal.SIGTERM, lambda *_: child.terminate())
        return child.wait()


def main(argv: list[str]) -> int:
    """Run ``argv`` with the server's URL in the environment; return its exit code."""
    programs = find_bin()
    if programs is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install()
        programs = find_bin()
    if programs is None:
        print("PostgreSQL is not installed: its tests will be skipped", file=sys.stderr)
        return run(argv)
    with server(programs) as url:
        env = {**os.environ, "STARFORGE_TEST_POSTGRES_URL": url}
        return run(argv, env)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
