"""The process of the embedded server: is it there, start it, stop it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, NamedTuple

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text
from starforge.lang import current_lang

START_TIMEOUT = 30.0
_OURS = ("STARFORGE_URL", "STARFORGE_TOKEN")  # never inherited by the server and its jobs


class Running(NamedTuple):
    """A running embedded server."""

    pid: int
    url: str
    version: str
    ours: bool = False  # started by this very call of :func:`start`


def running(home: Path) -> Running | None:
    """Return the server of ``home`` when one runs.

    Its lock decides, which the kernel drops with the process; ``server.json`` alone may be
    a leftover, and its pid another program's by now. The lock is tried last, so that we
    never hold it in the moment in which a server starts.
    """
    try:
        raw = json.loads((home / "server.json").read_text(encoding="utf-8"))
        found = Running(int(raw["pid"]), str(raw["url"]).rstrip("/"), str(raw["version"]))
        os.kill(found.pid, 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if _locked(home) else None


def start(
    home: Path, host: str | None = None, port: int | None = None, timeout: float = START_TIMEOUT
) -> Running:
    """Start the server of ``home`` detached from us and wait until it answers."""
    env = {name: value for name, value in os.environ.items() if name not in _OURS}
    env |= {"STARFORGE_HOME": str(home), "SF_LANG": current_lang()}
    if host is not None:
        env["STARFORGE_HOST"] = host
    if port is not None:
        env["STARFORGE_PORT"] = str(port)
    with _error_file(home) as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "starforge.server"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=env,
            cwd="/",
            start_new_session=True,
        )
        try:
            return _await_start(home, process, errors, time.monotonic() + timeout)
        except KeyboardInterrupt:
            process.terminate()
            raise


def _await_start(
    home: Path, process: subprocess.Popen[bytes], errors: IO[bytes], deadline: float
) -> Running:
    gone_at: float | None = None
    while time.monotonic() < deadline:
        here = running(home)
        if here is not None and _answers(here.url):
            return here._replace(ours=here.pid == process.pid)
        if process.poll() is not None:
            gone_at = gone_at or time.monotonic()
            # Another command may have started the server in the same moment; its lock wins.
            if not _locked(home) or time.monotonic() - gone_at > 10:
                raise _failed(home, errors)
        time.sleep(0.03)
    process.terminate()
    raise StarForgeError(
        "server/slow-start",
        Text(
            f"the embedded server did not answer within {START_TIMEOUT:.0f} s",
            f"内嵌服务在 {START_TIMEOUT:.0f} 秒内没有应答",
        ),
        Text(f"look into {home / 'server.log'}", f"请查看 {home / 'server.log'}"),
        exit_code=ExitCode.UNREACHABLE,
    )


def stop(home: Path, timeout: float = 20.0) -> Running | None:
    """Stop the server of ``home``; return what was stopped. Jobs are not touched."""
    here = running(home)
    if here is None:
        return None
    try:
        os.kill(here.pid, signal.SIGTERM)
    except PermissionError as error:
        raise StarForgeError(
            "server/not-yours",
            Text(
                f"the server (pid {here.pid}) belongs to another account",
                f"该服务（进程 {here.pid}）属于另一个账户",
            ),
            Text("stop it from that account", "请用那个账户停止它"),
            exit_code=ExitCode.NOT_ALLOWED,
        ) from error
    deadline = time.monotonic() + timeout
    while _locked(home):
        with contextlib.suppress(ChildProcessError):
            os.waitpid(here.pid, os.WNOHANG)
        if time.monotonic() > deadline:
            raise StarForgeError(
                "server/does-not-stop",
                Text(
                    f"the server (pid {here.pid}) did not end within {timeout:.0f} s",
                    f"服务（进程 {here.pid}）在 {timeout:.0f} 秒内没有退出",
                ),
                Text(
                    f"end it with `kill -9 {here.pid}`: nothing is lost by that",
                    f"可以用 `kill -9 {here.pid}` 结束它，不会丢失任何内容",
                ),
            )
        time.sleep(0.05)
    return here


def _locked(home: Path) -> bool:
    try:
        with (home / "server.lock").open("rb") as handle:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _answers(url: str) -> bool:
    from starforge.client.probe import health  # brings http.client; `sf methods` needs none

    try:
        return health(url) is not None
    except (TimeoutError, ValueError):
        return False


def _error_file(home: Path) -> IO[bytes]:
    """Return where the server's stderr goes: the home, or nowhere lasting when that fails.

    A home that can't be written is the server's own error to report.
    """
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return (home / "server.stderr").open("w+b")
    return tempfile.TemporaryFile()


def _failed(home: Path, errors: IO[bytes]) -> StarForgeError:
    """Turn what the server said before it ended into an error."""
    errors.seek(0)
    lines = errors.read()[-8000:].decode("utf-8", "replace").strip().splitlines()
    message, hint = _split(lines)
    return StarForgeError(
        "server/did-not-start",
        Text(
            f"the embedded server did not start: {message or 'it said nothing'}",
            f"内嵌服务未能启动：{message or '没有任何输出'}",
        ),
        Text(hint, hint)
        if hint
        else Text(f"look into {home / 'server.log'}", f"请查看 {home / 'server.log'}"),
        exit_code=ExitCode.UNREACHABLE,
    )


def _split(lines: list[str]) -> tuple[str, str]:
    """Find the server's ``error:`` line and the hint under it; else take the last line."""
    for index, line in enumerate(lines):
        for mark in ("error:", "错误："):
            if line.startswith(mark):
                hint = lines[index + 1] if index + 1 < len(lines) else ""
                return line.removeprefix(mark).strip(), hint.strip()
    return (lines[-1].strip() if lines else ""), ""
