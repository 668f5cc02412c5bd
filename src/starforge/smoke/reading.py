"""What a smoke run's job wrote: curves by canonical name, how it failed, what it left."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.engines.streams import files_of
from starforge.plan import LaunchPlan
from starforge.runner.hardware import FILE as HARDWARE
from starforge.streams import decode_rows, decode_scalars

Steps = dict[int, dict[str, float]]

LAST_LINES = 15
_OURS = re.compile(r"^(?:error: |错误：)(.+)$")
_POINTS_UP = re.compile(r"ended with exit code \d+|以退出码 \d+ 结束|退出码为 \d+")
_RAISED = re.compile(
    r"^(?:\([^)]*\)\s*)?(?:ray\.exceptions\.)?((?:[A-Za-z_]\w*\.)*"
    r"[A-Za-z_]*(?:Error|Exception|Interrupt|Exit)(?:\([^)]*\))?(?:: .+)?)$"
)
# What only says that something else failed.
_HOLLOW = re.compile(
    r"(ChildFailedError|CalledProcessError|RayTaskError|ActorDiedError|"
    r"TypeError: isinstance\(\)|BrokenPipeError|ConnectionResetError|SystemExit)"
)
_PREFIX = re.compile(r"^\([^)]*\)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def scalars_of(plan: LaunchPlan, attempt: Path) -> Steps:
    """Return the values of every step by the recipe's names (upstream's where it has none)."""
    steps: Steps = {}
    for path, stream in files_of(plan, attempt):
        # The runner's own figures of the machine are no steps of the job.
        if stream.format not in ("tensorboard", "report") or path == HARDWARE:
            continue
        data = (attempt / path).read_bytes()
        for native, columns in decode_scalars(stream.format, data, final=True).series.items():
            name = stream.names.get(native, native)
            for step, value in zip(columns.steps, columns.values, strict=True):
                steps.setdefault(step, {})[name] = value
    return steps


def rows_of(plan: LaunchPlan, attempt: Path, form: str) -> list[dict[str, Any]]:
    """Return the rows of all ``samples`` or ``scores`` files."""
    found: list[dict[str, Any]] = []
    for path, stream in files_of(plan, attempt):
        if stream.format == form:
            data = (attempt / path).read_bytes()
            found += [row.data for row in decode_rows(form, data, final=True).rows]
    return found


def trained_steps(steps: Steps, primary: list[str]) -> list[int]:
    """Return the steps that have a primary metric, in order; step 0 is before training."""
    return sorted(step for step, values in steps.items() if any(name in values for name in primary))


def log_lines(attempt: Path) -> list[str]:
    """Return the lines of all logs that are not empty, without colours."""
    lines: list[str] = []
    for log in sorted((attempt / layout.LOGS).glob("*.log")):
        text = log.read_bytes().decode("utf-8", "replace").replace("\r", "\n")
        lines += [_COLOURS.sub("", line).rstrip() for line in text.splitlines()]
    return [line for line in lines if line.strip()]


def reason_in(lines: list[str]) -> str | None:
    """Return the one line that says what failed.

    Our drivers' own last word comes first, unless it only points to what stands above; else
    the last exception that is a cause.
    """
    ours = [found[1] for line in lines if (found := _OURS.match(line))]
    if ours and not _POINTS_UP.search(ours[-1]):
        return ours[-1]
    raised = [
        _with_source(found[1], lines[number - 1] if number else "")
        for number, line in enumerate(lines)
        if (found := _RAISED.match(line))
    ]
    causes = [text for text in raised if not _HOLLOW.search(text)]
    return (causes or raised or ours or [None])[-1]


def _with_source(raised: str, before: str) -> str:
    """Return what was raised; without a message of its own, with the line that raised it."""
    source = _PREFIX.sub("", before).strip()
    return raised if ": " in raised or not source else f"{raised}: {source}"


def last_lines(lines: list[str], most: int = LAST_LINES) -> list[str]:
    """Return the end of a log."""
    return [line[:400] for line in lines[-most:]]
