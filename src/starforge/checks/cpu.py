"""What the CPU of this machine is fast in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FLAGS = ("avx512_bf16", "amx_bf16", "bf16", "svebf16")  # the last two are Arm's


def fast_in_bfloat16(cpuinfo: str) -> bool:
    """Whether ``/proc/cpuinfo`` names instructions that multiply in bfloat16."""
    return any(flag in cpuinfo.split() for flag in FLAGS)


@cache
def cpu_is_fast_in_bfloat16() -> bool:
    """Whether this machine's CPU multiplies in bfloat16; no where the system doesn't say."""
    try:
        return fast_in_bfloat16(Path("/proc/cpuinfo").read_text("utf-8"))
    except OSError:
        return False
