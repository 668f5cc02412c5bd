"""Run candidate code against its tests: the child process of :mod:`starforge.rewards.sandbox`.

Reads a job as JSON from standard input; writes lines of JSON, each behind the job's secret, to
the descriptor that is its only argument: how it is shut in, how each test went, and that it is
done. What a program should print is not in the job: code can find whatever this process knows.
Stand-alone and of the standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import io
import json
import os
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Job = dict[str, Any]
SHOWN = 200  # characters of an output that is not the wanted one
# Audit events of Python (https://docs.python.org/3/library/audit_events.html) that are refused.
_PROCESSES = (
    "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "os.exec", "os.kill",
    "os.killpg", "subprocess.Popen", "pty.spawn",
)  # fmt: skip
_CHANGES = (
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "os.chown",
)  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class NotAllowedError(PermissionError):
    """The code did what it must not; ``kind`` is the verdict."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(errno.EPERM, f"not allowed here: {what}")
        self.kind = kind


def main(channel: int) -> None:
    """Shut this process in, run the job, tell how each test went."""
    job = json.loads(sys.stdin.buffer.read())
    secret = job.pop("secret")
    tell = _teller(os.fdopen(channel, "w", encoding="utf-8"), secret)
    _limit(job)
    tell({"guards": _shut_in(job["parent"])})
    for result in _run(job):
        tell({"result": result})
    tell({"done": True})
    os._exit(0)  # threads of the code must not keep it here


def _teller(stream: Any, secret: str) -> Callable[[dict[str, Any]], None]:
    def tell(message: dict[str, Any]) -> None:
        stream.write(f"{secret}{json.dumps(message)}\n")
        stream.flush()

    return tell


def _limit(job: Job) -> None:
    limits = (
        (resource.RLIMIT_CPU, int(job["seconds"]) + 1),
        (resource.RLIMIT_AS, job["memory"]),
        (resource.RLIMIT_FSIZE, job["file_bytes"]),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    )
    for kind, value in limits:
        with contextlib.suppress(ValueError, OSError):  # a lower one holds already
            resource.setrlimit(kind, (value, value))


def _shut_in(parent: int) -> dict[str, bool]:
    """Return what the kernel guards; the rest is refused by Python only."""
    spec = importlib.util.spec_from_file_location("confine", Path(__file__).with_name("confine.py"))
    assert spec is not None and spec.loader is not None
    confine = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(confine)
    folder = Path.cwd()
    confine.die_with_parent(parent)
    files = confine.forbid_files(folder)
    calls = confine.forbid_calls()
    _watch_python(str(folder))
    return {"processes": calls, "network": calls, "files": files}


def _watch_python(folder: str) -> None:
    """Refuse Python's own calls: says clearly what was tried, and is all there is elsewhere."""

    def outside(path: Any) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False  # an open descriptor
        place = os.path.realpath(os.fsdecode(path))
        return place != os.devnull and not (place + os.sep).startswith(folder + os.sep)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITES and outside(path):
                raise NotAllowedError("files", f"writing {path!r}")
        elif event in _PROCESSES:
            raise NotAllowedError("processes", "starting or signalling processes")
        elif event in ("socket.__new__", "socket.connect", "socket.bind"):
            raise NotAllowedError("network", "the network")
        elif event in _CHANGES and any(outside(path) for path in arguments[:2]):
            raise NotAllowedError("files", f"changing {arguments[0]!r}")

    sys.addaudithook(hook)


def _run(job: Job) -> Iterator[dict[str, Any]]:
    """Yield of each test its problem, what it printed, or nothing: it passed.

    Ends early at a problem that the tests after it would meet as well.
    """
    sys.stdin = io.StringIO()
    try:
        program = compile(job["code"], "answer.py", "exec")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        yield _problem(error)
        return
    names: dict[str, Any] | None = None
    for test in job["tests"]:
        try:
            if isinstance(test, str):
                if names is None:
                    names = _load(program)
                exec(compile(test, "test.py", "exec"), names)  # noqa: S102 - what this is for
                result = {}
            else:
                result = _printed(_converse(program, test["input"]))
        except BaseException as error:
            result = _problem(error)
        yield result
        if result.get("kind") not in (None, "failed", "error"):
            return


def _load(program: Any) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.suppress(SystemExit):  # a script may end itself
        exec(program, names)  # noqa: S102
    return names


def _converse(program: Any, given: str) -> str:
    """Run a program on one input and return what it prints."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    before = sys.stdin, sys.stdout
    sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
    sys.stdout = printed
    try:
        _load(program)
        printed.flush()
    finally:
        sys.stdin, sys.stdout = before
    buffer = printed.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8", "replace")


def _printed(text: str) -> dict[str, Any]:
    return {"printed": digest(text), "shown": text[:SHOWN]}


def digest(text: str) -> str:
    """Return the digest of a program's output, without spaces at the ends of its lines."""
    lines = [line.rstrip() for line in text.rstrip().splitlines()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _kind(error: BaseException) -> str:
    if isinstance(error, NotAllowedError):
        return error.kind
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, AssertionError):
        return "failed"
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        return "disk"
    if isinstance(error, OSError) and error.errno == errno.EACCES:
        return "files"
    return "error"


def _problem(error: BaseException) -> dict[str, Any]:
    detail = f"{type(error).__name__}: {error}".rstrip(": ")[:500]
    return {"kind": _kind(error), "detail": detail}


if __name__ == "__main__":
    main(int(sys.argv[1]))
