"""Where the processes of a job stand: written down before a job that hangs is ended.

Python stacks come from processes that registered for it (`starforge.stacks`); the state,
the waiting place and the kernel's stack of every thread from ``/proc``, for any process.
Nothing here can end a process: the signal goes only to one that says it handles it.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from starforge import layout
from starforge.runner.journal import append
from starforge.runner.procs import Proc
from starforge.stacks import SIGNAL

FILE = f"{layout.LOGS}/stacks-0.log"
_PATIENCE = 3.0  # seconds for all Python processes together
_POLL = 0.05
_MAX_THREADS = 200
_MAX_BYTES = 256 * 1024
_PROC = Path("/proc")


def dump(attempt_dir: Path, processes: Iterable[Proc], why: str) -> None:
    """Append the stacks of ``processes`` to the attempt's log ``stacks-0``.

    Raises:
        OSError: the log can't be written.
    """
    targets = sorted(processes, key=lambda proc: proc.pid)
    python = _python_stacks(attempt_dir / layout.STACKS, targets)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    parts = [f"==== {stamp} {why}\n"]
    parts += [_describe(proc, python.get(proc.pid)) for proc in targets]
    append(attempt_dir / FILE, "\n".join(parts).encode("utf-8", "replace"))


def clean(attempt_dir: Path) -> None:
    """Remove the files through which processes answer; what they said is in the log."""
    shutil.rmtree(attempt_dir / layout.STACKS, ignore_errors=True)


def handles(pid: int) -> bool:
    """Say whether a process has a handler for the signal now (the kernel's word)."""
    caught = _fields(_PROC / str(pid) / "status").get("SigCgt", "0")
    try:
        return SIGNAL is not None and bool(int(caught, 16) >> (SIGNAL - 1) & 1)
    except ValueError:
        return False


def _python_stacks(folder: Path, targets: Iterable[Proc]) -> dict[int, str]:
    """Ask every process that registered; wait until all have answered, or patience ends."""
    asked: dict[int, Path] = {}
    before: dict[int, int] = {}
    for proc in targets:
        file = folder / f"{proc.pid}.txt"
        if SIGNAL is None or not file.is_file() or not handles(proc.pid):
            continue
        before[proc.pid] = _size(file)
        try:
            os.kill(proc.pid, SIGNAL)
        except OSError:
            continue
        asked[proc.pid] = file
    _wait_written(asked, before)
    return {pid: _read(file, before[pid]) for pid, file in asked.items()}


def _wait_written(asked: dict[int, Path], before: dict[int, int]) -> None:
    deadline = time.monotonic() + _PATIENCE
    last: dict[int, int] = {}
    while time.monotonic() < deadline:
        now = {pid: _size(file) for pid, file in asked.items()}
        if now == last and all(now[pid] > before[pid] for pid in asked):
            return
        last = now
        time.sleep(_POLL)


def _describe(proc: Proc, python: str | None) -> str:
    folder = _PROC / str(proc.pid)
    status = _fields(folder / "status")
    lines = [f"process {proc.pid} (parent {proc.parent}): {_command(folder, status)}"]
    lines.append(f"state {status.get('State', 'gone')}, {proc.memory // 2**20} MiB resident")
    try:
        threads = sorted((folder / "task").iterdir(), key=lambda path: int(path.name))
    except OSError:
        threads = []
    for thread in threads[:_MAX_THREADS]:
        lines += _thread(thread)
    if len(threads) > _MAX_THREADS:
        lines.append(f"... and {len(threads) - _MAX_THREADS} threads more")
    if python is not None:
        lines.append("Python stacks, newest call first:")
        lines.append(python.rstrip() or "(the process did not answer)")
    return "\n".join(lines) + "\n"


def _thread(folder: Path) -> list[str]:
    status = _fields(folder / "status")
    name, state = status.get("Name", "?"), status.get("State", "gone")
    waits = _read(folder / "wchan").strip().strip("0")
    line = f"  thread {folder.name} {name}: {state}" + (f", in {waits}" if waits else "")
    kernel = [f"    {call.strip()}" for call in _read(folder / "stack").splitlines()]
    return [line, *kernel]


def _command(folder: Path, status: dict[str, str]) -> str:
    words = _read(folder / "cmdline").replace("\0", " ").strip()
    return words[:1000] or f"[{status.get('Name', '?')}]"


def _fields(path: Path) -> dict[str, str]:
    pairs = (line.partition(":") for line in _read(path).splitlines())
    return {name: value.strip() for name, _, value in pairs}


def _read(path: Path, start: int = 0) -> str:
    """Return what a file holds from ``start`` on; one that can't be read holds nothing."""
    try:
        with path.open("rb") as handle:
            if start:
                handle.seek(start)
            return handle.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
