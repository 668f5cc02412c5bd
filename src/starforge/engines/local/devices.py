"""What this machine has to give: CPUs this process may use, GPUs the driver shows."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from pathlib import Path

import msgspec


class Gpu(msgspec.Struct, frozen=True, kw_only=True):
    """One device; ``memory_bytes`` is its whole memory."""

    index: int
    name: str
    memory_bytes: int | None = None


class Devices(msgspec.Struct, frozen=True, kw_only=True):
    """The slots of this machine."""

    cpus: int
    gpus: list[Gpu]


def find_devices(max_cpus: int | None = None, max_gpus: int | None = None) -> Devices:
    """Look at the machine. ``max_cpus`` and ``max_gpus`` lower what is handed out."""
    cpus = count_cpus()
    gpus = find_gpus()
    return Devices(
        cpus=max(1, cpus if max_cpus is None else min(cpus, max_cpus)),
        gpus=gpus if max_gpus is None else gpus[:max_gpus],
    )


def count_cpus() -> int:
    """Count the CPUs of this process: affinity, lowered by a cgroup's quota."""
    try:
        cpus = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        cpus = os.cpu_count() or 1
    return max(1, min(cpus, _quota() or cpus))


def _quota() -> int | None:
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError):  # no cgroup v2, or no limit ("max")
        return None


def find_gpus(environ: dict[str, str] | None = None) -> list[Gpu]:
    """Ask nvidia-smi; only devices that ``CUDA_VISIBLE_DEVICES`` leaves visible."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    query = ["--query-gpu=index,name,memory.total", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(
            [tool, *query], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    visible = (environ if environ is not None else dict(os.environ)).get("CUDA_VISIBLE_DEVICES")
    return [gpu for gpu in parse_gpus(answer.stdout) if _is_visible(gpu.index, visible)]


def parse_gpus(text: str) -> list[Gpu]:
    """Read nvidia-smi's CSV: index, name, MiB of memory (``[N/A]`` on some devices)."""
    gpus = []
    for line in text.splitlines():
        parts = [part.strip() for part in line.split(",")]
        if len(parts) < 3 or not parts[0].isdigit():
            continue
        memory = int(parts[2]) * 1024 * 1024 if parts[2].isdigit() else None
        gpus.append(Gpu(index=int(parts[0]), name=parts[1], memory_bytes=memory))
    return gpus


def _is_visible(index: int, visible: str | None) -> bool:
    if visible is None:
        return True
    numbers = [part.strip() for part in visible.split(",")]
    # Names (GPU-uuid, MIG-...) can't be matched with indices here: then all count.
    if any(part and not part.isdigit() for part in numbers):
        return True
    return str(index) in numbers
