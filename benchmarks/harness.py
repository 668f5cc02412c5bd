"""What every benchmark shares: a result row, CPU seconds of commands and processes, the best."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Row:
    """One measured figure.

    ``at_most`` or ``at_least`` is the goal it is held against, in its own unit. ``tenfold``
    is the same figure with ten times the work, named by ``work``.
    """

    benchmark: str
    what: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    tenfold: float | None = None
    work: str = ""

    @property
    def goal(self) -> str:
        """The goal in words; empty when the figure is only for information."""
        if self.at_most is not None:
            return f"<= {self.at_most:g}"
        return f">= {self.at_least:g}" if self.at_least is not None else ""

    @property
    def met(self) -> bool | None:
        """Whether the goal was met; ``None`` without one."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return self.value >= self.at_least if self.at_least is not None else None

    def as_dict(self) -> dict[str, object]:
        """Return the row for JSON."""
        return asdict(self) | {"goal": self.goal, "met": self.met}


def environ(**more: str) -> dict[str, str]:
    """Return an environment without settings of StarForge that the user has made.

    Bytecode may be cached, as on any machine that uses a command more than once.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("STARFORGE_", "SF_")) and name != "PYTHONDONTWRITEBYTECODE"
    }
    return kept | {"SF_LANG": "en"} | more


def cpu_seconds(
    argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> float:
    """Return user plus system seconds of one run of ``argv`` and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = subprocess.run(
        argv, check=False, capture_output=True, env=environ(**(env or {})), cwd=cwd
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if made.returncode != 0:
        raise RuntimeError(f"{argv} ended with {made.returncode}: {made.stderr.decode()[-2000:]}")
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def process_cpu(pid: int, *, children: bool = True) -> float:
    """Return the CPU seconds of a live process, with those of the children it has reaped."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    # utime, stime, cutime, cstime: fields 14 to 17 of proc(5), counted from 1
    return sum(int(field) for field in fields[11 : 15 if children else 13]) / TICKS


def process_memory(pid: int) -> tuple[int, int]:
    """Return the resident bytes of a live process now, and at their highest."""
    known = {}
    for line in Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines():
        name, _, rest = line.partition(":")
        known[name] = rest.split()
    return int(known["VmRSS"][0]) * 1024, int(known["VmHWM"][0]) * 1024


def best(measure: Callable[[], float], runs: int = 5) -> float:
    """Return the least of ``runs`` measurements: what the work costs when nothing disturbs."""
    measure()
    return min(measure() for _ in range(runs))


def seconds(work: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def wait_for(what: Callable[[], object], patience: float = 60.0, pause: float = 0.02) -> None:
    """Wait until ``what`` is true."""
    deadline = time.monotonic() + patience
    while not what():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {patience} s in vain")
        time.sleep(pause)


@contextmanager
def ending(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """End a process at the end of the block, kindly first."""
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
