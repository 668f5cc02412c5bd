"""Write small files so that a reader sees the old or the new one, never half of one."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Any) -> None:
    """Replace ``path`` atomically and durably.

    Raises:
        OSError: it could not be written; the old file is untouched.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with scratch.open("w", encoding="utf-8") as handle:
            json.dump(value, handle, ensure_ascii=False)
            handle.flush()
            os.fsync(handle.fileno())
        scratch.replace(path)
    except OSError:
        with suppress(OSError):
            scratch.unlink()
        raise


def read_json(path: Path) -> Any:
    """Return what ``path`` holds, or ``None`` when it is missing or broken."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
