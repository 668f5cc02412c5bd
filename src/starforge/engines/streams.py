"""Which files of an attempt are streams, and what a stream's path says of it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import cast

from starforge import layout
from starforge.plan import LaunchPlan, Stream, StreamFormat

# What every job may write, whatever its plan says.
STANDARD = tuple(
    Stream(format=cast(StreamFormat, kind), path=path) for kind, path in layout.STREAMS
)


def streams_of(plan: LaunchPlan) -> list[Stream]:
    """Return the plan's own streams, then the standard ones it does not name."""
    named = {stream.path for stream in plan.metrics}
    return [*plan.metrics, *(s for s in STANDARD if s.path not in named)]


def stream_of(plan: LaunchPlan, path: str) -> Stream | None:
    """Return the stream a file belongs to: the first one whose glob matches."""
    if not is_safe(path):
        return None
    return next((s for s in streams_of(plan) if _pattern(s.path).fullmatch(path)), None)


def files_of(plan: LaunchPlan, attempt_dir: Path) -> list[tuple[str, Stream]]:
    """Return ``(path, stream)`` of the stream files that lie in an attempt's folder."""
    found: dict[str, Stream] = {}
    for stream in streams_of(plan):
        for file in attempt_dir.glob(stream.path):
            path = file.relative_to(attempt_dir).as_posix()
            if path not in found and file.is_file() and is_safe(path):
                found[path] = stream
    return sorted(found.items())


def is_safe(path: str) -> bool:
    """Say whether a relative path stays where it is put."""
    parts = path.split("/")
    return bool(path) and "\0" not in path and not any(part in ("", ".", "..") for part in parts)


@lru_cache(maxsize=1024)
def _pattern(glob: str) -> re.Pattern[str]:
    out = ""
    index = 0
    while index < len(glob):
        if glob.startswith("**/", index):
            out += "(?:[^/]+/)*"
            index += 3
        elif glob[index] == "*":
            out += "[^/]*"
            index += 1
        elif glob[index] == "?":
            out += "[^/]"
            index += 1
        else:
            out += re.escape(glob[index])
            index += 1
    return re.compile(out)
