"""Start a framework's own entry point as a child of a driver and pass signals on to it.

The plan shows the official command after ``--`` of a driver's command line; the driver
prepares what the command reads, runs it, and hands over what it wrote.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

GRACE = 20.0  # seconds a child has to leave after SIGTERM
LOOK = 1.0  # seconds between looks for a failure


def split_command(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a driver's own arguments and the upstream command after ``--``."""
    words = list(argv)
    if "--" not in words:
        return words, []
    cut = words.index("--")
    return words[:cut], words[cut + 1 :]


def run_upstream(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    on_stop: Callable[[], None] | None = None,
    failed: Callable[[], bool] | None = None,
) -> int:
    """Run ``command`` in a process group of its own; return its exit code (128 + signal).

    SIGTERM and SIGINT go to the whole group; what is still alive ``GRACE`` seconds later, or
    left behind when the command ends, is killed. After a signal this process leaves, too,
    with nothing done between but ``on_stop``. Once ``failed`` says so, the command is ended
    in the same way: for what upstream itself would pass over.
    """
    child = subprocess.Popen(
        list(command), env=dict(os.environ | dict(env or {})), cwd=cwd, start_new_session=True
    )

    def pass_on(number: int, _frame: object) -> None:
        _end(child)
        if on_stop is not None:
            on_stop()
        sys.stdout.flush()
        os._exit(128 + number)

    before = {one: signal.signal(one, pass_on) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        code = _wait(child, failed)
    finally:
        _signal_group(child.pid, signal.SIGKILL)
        for one, handler in before.items():
            signal.signal(one, handler)
    return code if code >= 0 else 128 - code


def _wait(child: subprocess.Popen[bytes], failed: Callable[[], bool] | None) -> int:
    """Return the exit code of a child, which is ended when ``failed`` says so."""
    while True:
        try:
            return child.wait(LOOK if failed else None)
        except subprocess.TimeoutExpired:
            if failed and failed():
                _end(child)
                return child.wait()


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a child with its process group: SIGTERM, and SIGKILL when the grace is over."""
    _signal_group(child.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(GRACE)
    _signal_group(child.pid, signal.SIGKILL)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
