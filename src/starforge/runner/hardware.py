"""Sample the machine every few seconds into ``metrics/system.jsonl``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from starforge import layout
from starforge.runner import procs
from starforge.runner.journal import Journal, append

INTERVAL = 5.0
FILE = f"{layout.METRICS}/system.jsonl"
_GB = 1e9
_GPU_QUERY = [
    "nvidia-smi",
    "--query-gpu=index,uuid,utilization.gpu,memory.used",
    "--format=csv,noheader,nounits",
]


class Hardware:
    """A thread that writes one record a sample; its step is the seconds since the start."""

    def __init__(
        self,
        attempt_dir: Path,
        journal: Journal,
        *,
        gpus: str | None,
        interval: float = INTERVAL,
    ) -> None:
        self._dir = attempt_dir
        self._journal = journal
        self._interval = interval
        self._gpus = GpuSampler(gpus)
        self._cpu = CpuSampler()
        self._began = time.monotonic()
        self._written = -1  # the second of the last sample
        self._quit = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hardware", daemon=True)

    def start(self) -> None:
        """Begin to sample; the first sample comes after one interval."""
        self._thread.start()

    def close(self) -> None:
        """End sampling."""
        self._quit.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def sample(self) -> dict[str, float]:
        """Return the figures now, by metric name."""
        values = {
            "system/cpu_percent": self._cpu.percent(),
            "system/memory_gb": memory_used() / _GB,
            "system/job_memory_gb": job_memory() / _GB,
            "system/disk_free_gb": self._disk_free() / _GB,
            **self._gpus.sample(),
        }
        return {name: round(value, 3) for name, value in values.items()}

    def write(self) -> None:
        """Take a sample and append it; a full disk costs the sample, nothing else.

        One a second is enough: the last one may come right behind the one before.
        """
        seconds = int(time.monotonic() - self._began)
        if seconds <= self._written:
            return
        self._written = seconds
        record = {"t": round(time.time(), 3), "s": seconds, "v": self.sample()}
        try:
            append(self._dir / FILE, json.dumps(record).encode() + b"\n")
        except OSError as error:
            self._journal.say(f"hardware figures could not be written: {error}", once=True)

    def _disk_free(self) -> int:
        try:
            return shutil.disk_usage(self._dir).free
        except OSError:
            return 0

    def _run(self) -> None:
        while not self._quit.wait(self._interval):
            self.write()


class CpuSampler:
    """How busy the machine's processors were since the last look."""

    def __init__(self) -> None:
        self._last = _cpu_times()

    def percent(self) -> float:
        """Return 0 to 100 over all processors."""
        before, self._last = self._last, _cpu_times()
        total = self._last[1] - before[1]
        return 100.0 * (self._last[0] - before[0]) / total if total > 0 else 0.0


def _cpu_times() -> tuple[int, int]:
    """Return busy and total ticks since boot."""
    try:
        first = Path("/proc/stat").read_text().split("\n", 1)[0]
        ticks = [int(field) for field in first.split()[1:9]]
    except (OSError, ValueError):
        return 0, 0
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def memory_used() -> int:
    """Return the bytes of memory in use on the machine."""
    known: dict[str, int] = {}
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            name, _, rest = line.partition(":")
            known[name] = int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return 0
    return known.get("MemTotal", 0) - known.get("MemAvailable", 0)


def job_memory() -> int:
    """Return the resident bytes of all processes below this one."""
    table = procs.snapshot()
    return sum(table[pid].memory for pid in procs.descendants(table, [os.getpid()]))


class GpuSampler:
    """Use and memory of the GPUs the job may see, through ``nvidia-smi`` if there is one.

    ``visible`` is the job's ``CUDA_VISIBLE_DEVICES``: ``None`` is all, an empty text none.
    """

    def __init__(self, visible: str | None, query: Callable[[], str | None] | None = None) -> None:
        self._visible = None if visible is None else [v.strip() for v in visible.split(",")]
        self._query = query or _nvidia_smi
        self._failures = 0
        if visible == "" or (query is None and shutil.which(_GPU_QUERY[0]) is None):
            self._failures = 3

    def sample(self) -> dict[str, float]:
        """Return figures by metric name; nothing after three failures in a row."""
        if self._failures >= 3:
            return {}
        text = self._query()
        if text is None:
            self._failures += 1
            return {}
        self._failures = 0
        values: dict[str, float] = {}
        for line in text.splitlines():
            index, uuid, used, memory = ([p.strip() for p in line.split(",")] + [""] * 4)[:4]
            if self._visible is not None and not {index, uuid} & set(self._visible):
                continue
            for name, figure, unit in (("percent", used, 1.0), ("memory_gb", memory, 2**20 / _GB)):
                if figure.replace(".", "", 1).isdigit():  # "[N/A]" where a card can't say
                    values[f"system/gpu{index}_{name}"] = float(figure) * unit
        return values


def _nvidia_smi() -> str | None:
    try:
        done = subprocess.run(_GPU_QUERY, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.stdout.strip() else None
