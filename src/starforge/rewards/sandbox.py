"""Run code that nobody has read against tests, in a child process that is shut in.

The child has limits of time, memory and file size, an empty folder of its own that goes
afterwards, and neither network nor further processes. On Linux the kernel sees to it
(:mod:`starforge.rewards.confine`); where it can't, only Python's own calls are refused, and
that is said once.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from starforge.rewards.sandbox_child import SHOWN, digest

CHILD = Path(__file__).with_name("sandbox_child.py")
_POLL = 0.02  # seconds between two looks at a running child
_MESSAGE = 8192  # bytes, more than any message of the child has


class Limits(NamedTuple):
    """What candidate code may use. ``seconds`` are of the wall clock, for all tests together."""

    seconds: float = 5.0
    memory: int = 1 << 30  # bytes of address space
    file_bytes: int = 1 << 20  # of one file
    disk_bytes: int = 16 << 20  # of its whole folder


class Verdict(NamedTuple):
    """How code did.

    ``kind`` is ``passed``, ``failed`` (a test), ``error`` (an exception), ``time``, ``memory``,
    ``processes``, ``network``, ``files`` (outside of its folder), ``disk`` (too much written)
    or ``crashed`` (its process ended without a verdict); ``detail`` is the first problem.
    """

    kind: str
    passed: int
    total: int
    detail: str = ""


DEFAULT = Limits()


def run(code: str, tests: Sequence[Any], limits: Limits = DEFAULT) -> Verdict:
    """Run ``code`` against ``tests`` and return the verdict; leaves no process and no file.

    A test is Python source with assertions, which sees the names of the code, or
    ``{"input", "output"}``: the code as a program, what it reads and what it must print. The
    outputs are compared here: code that searches its process for them finds nothing.
    """
    with tempfile.TemporaryDirectory(prefix="starforge-code-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        secret = secrets.token_hex(16)
        job = {"code": code, "tests": [_asked(test) for test in tests], "secret": secret,
               "parent": os.getpid(), **limits._asdict()}  # fmt: skip
        inbox, outbox = os.pipe()
        with os.fdopen(inbox, "rb") as stream:
            child = _start(folder, outbox)
            heard = _Listener(stream, (len(tests) + 2) * _MESSAGE)
            stopped = _wait(child, job, folder, limits)
            heard.join()
    said = _messages(bytes(heard.data), secret)
    _warn(said.guards)
    if said.done:
        return _judge(said.results, tests)
    if stopped is not None:
        return Verdict(stopped, 0, len(tests), f"more than {_allowed(stopped, limits)}")
    return _ended(child.returncode, len(tests))


def _asked(test: Any) -> Any:
    """Return what the child may know of a test."""
    return test if isinstance(test, str) else {"input": test["input"]}


class _Listener(threading.Thread):
    """Takes what comes through a pipe while its writer runs: at most ``limit`` bytes."""

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        super().__init__(daemon=True)
        self.data = bytearray()
        self._stream, self._left = stream, limit
        self.start()

    def run(self) -> None:
        while self._left > 0 and (read := os.read(self._stream.fileno(), min(self._left, 65536))):
            self.data += read
            self._left -= len(read)


def _start(folder: Path, outbox: int) -> subprocess.Popen[bytes]:
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "LC_ALL", "TZ")}
    env = kept | {
        "HOME": str(folder), "TMPDIR": str(folder), "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
    }  # fmt: skip
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-B", str(CHILD), str(outbox)], cwd=folder, env=env,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=[outbox], start_new_session=True,
        )  # fmt: skip
    finally:
        os.close(outbox)


def _wait(
    child: subprocess.Popen[bytes], job: dict[str, Any], folder: Path, limits: Limits
) -> str | None:
    """Wait for the child's end; return the limit it was stopped at, if it was."""
    assert child.stdin is not None
    deadline = time.monotonic() + limits.seconds
    try:
        with contextlib.suppress(BrokenPipeError):
            child.stdin.write(json.dumps(job).encode())
            child.stdin.close()
        while True:
            try:
                child.wait(_POLL)
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    return "time"
                if _size(folder) > limits.disk_bytes:
                    return "disk"
            else:
                return None
    finally:
        # Alone in its session: with it goes whatever it could start.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _size(folder: Path) -> int:
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(root, name)).st_size  # noqa: PTH118 - often called
    return total


class _Said(NamedTuple):
    """What a child told: how it is shut in, how each test went, and whether it came to the end."""

    guards: dict[str, bool]
    results: list[dict[str, Any]]
    done: bool


def _messages(data: bytes, secret: str) -> _Said:
    """Return what the child told; lines without its secret are the code's."""
    guards: dict[str, bool] = {}
    results: list[dict[str, Any]] = []
    done = False
    for line in data.decode("utf-8", "replace").splitlines():
        if line.startswith(secret):
            message = json.loads(line.removeprefix(secret))
            guards = message.get("guards", guards)
            results += [message["result"]] if "result" in message else []
            done = done or "done" in message
    return _Said(guards, results, done)


def _judge(results: Sequence[dict[str, Any]], tests: Sequence[Any]) -> Verdict:
    """Return the verdict of tests whose results came; those that were not run have not passed."""
    problems = [_problem(result, test) for result, test in zip(results, tests, strict=False)]
    found = [problem for problem in problems if problem is not None]
    kind, detail = found[0] if found else ("passed", "")
    return Verdict(kind, len(problems) - len(found), len(tests), detail)


def _problem(result: dict[str, Any], test: Any) -> tuple[str, str] | None:
    """Return the kind and the text of a test's problem; ``None`` when it passed."""
    if "kind" in result:
        return result["kind"], result["detail"]
    if isinstance(test, str) or result["printed"] == digest(test["output"]):
        return None
    shown = f"printed {result['shown']!r}, not {test['output'][:SHOWN]!r}"
    return "failed", f"AssertionError: {shown}"


def _allowed(kind: str, limits: Limits) -> str:
    return f"{limits.seconds:g} s" if kind == "time" else f"{limits.disk_bytes >> 20} MiB written"


def _ended(code: int, total: int) -> Verdict:
    if code == -signal.SIGXCPU:
        return Verdict("time", 0, total, "its CPU time is used up")
    if code == -signal.SIGXFSZ:
        return Verdict("disk", 0, total, "a file became too large")
    what = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return Verdict("crashed", 0, total, f"the process ended without a verdict ({what})")


_warned = threading.Event()


def _warn(guards: dict[str, bool]) -> None:
    weak = [name for name, held in guards.items() if not held]
    if weak and not _warned.is_set():
        _warned.set()
        listed = ", ".join(weak)
        print(  # noqa: T201
            f"starforge.rewards: this system has no guard for {listed} of candidate code "
            "(seccomp, Landlock); only Python's own calls are refused",
            file=sys.stderr, flush=True,
        )  # fmt: skip
