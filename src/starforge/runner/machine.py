"""Failures of the machine, which the same job may well survive on another attempt.

Only what hardware, drivers and file servers say of themselves counts. Running out of memory,
a wrong configuration or a defect of the user's code come back every time, and are none.
"""

from __future__ import annotations

import re

# What the last lines of a process say when the machine failed under it, by kind.
_SIGNS = (
    # NVIDIA: "Xid" errors, memory that can't be corrected, a device that is gone
    r"uncorrectable (?:NVLink|ECC) error",
    r"\bXid\b.{0,40}\b(?:48|63|64|74|79|92|94|95|119|120)\b",
    r"GPU has fallen off the bus",
    r"CUDA error: (?:uncorrectable ECC|hardware stack error|system driver mismatch|"
    r"the device is (?:busy|lost)|unknown error)",
    r"no CUDA-capable device is detected.{0,80}(?:lost|reset)",
    # Linux and its file servers: EIO, ESTALE, EREMOTEIO, ENOTCONN, EHOSTDOWN
    r"\[Errno 5\] Input/output error",
    r"\[Errno 116\] Stale file handle",
    r"\[Errno 121\] Remote I/O error",
    r"\[Errno 107\] Transport endpoint is not connected",
    r"\bBus error\b.{0,80}\bhardware\b",
    # Collectives between machines whose peer went away
    r"NCCL.{0,200}(?:remote process exited|unhandled system error|network error)",
)
_SIGN = re.compile("|".join(f"(?:{sign})" for sign in _SIGNS), re.IGNORECASE | re.DOTALL)


def machine_failure(tail: str) -> str | None:
    """Return what in the last lines of a process tells of a failed machine, if anything."""
    found = _SIGN.search(tail)
    return " ".join(found[0].split())[:200] if found else None
