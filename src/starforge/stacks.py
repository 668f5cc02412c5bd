"""Let the runner ask this process where it stands, without any risk to it.

`enable` registers `faulthandler` for `SIGNAL` and says so by a file of this process in the
attempt's folder. Only processes that said so are ever sent the signal, so none is ended by
it. The traceback of every thread is written by the C handler, even while the interpreter
is stuck in native code.

Standard library only: this file is copied into foreign environments.
"""

from __future__ import annotations

import faulthandler
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import IO

from starforge import layout

SIGNAL = getattr(signal, "SIGUSR2", None)  # USR1 is what schedulers send before they preempt

_open: tuple[int, IO[bytes]] | None = None  # the process that opened it, and where stacks go


def enable() -> bool:
    """Answer the runner's wish for stacks; does nothing outside of a job.

    Leaves the signal alone where the program has a handler of its own. Never raises.
    """
    folder = os.environ.get(layout.ENV_ATTEMPT_DIR)
    if layout.ENV_TAG not in os.environ or folder is None or SIGNAL is None:
        return False
    if _open is not None and _open[0] == os.getpid():
        return True
    with suppress(Exception):
        if signal.getsignal(SIGNAL) is signal.SIG_DFL:
            _register(Path(folder) / layout.STACKS)
            return True
    return False


def _register(folder: Path) -> None:
    global _open  # noqa: PLW0603 - one handler a process
    assert SIGNAL is not None
    folder.mkdir(exist_ok=True)
    handle = (folder / f"{os.getpid()}.txt").open("wb", buffering=0)
    faulthandler.register(SIGNAL, file=handle, all_threads=True, chain=False)
    _open = os.getpid(), handle


def _after_fork() -> None:
    if _open is not None:
        enable()  # the child has its own file


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
