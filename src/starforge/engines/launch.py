"""From a plan to ``launch.json``: placeholders filled, environment joined, ranks counted."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import msgspec

from starforge import layout
from starforge.engines.base import Launch
from starforge.engines.streams import streams_of
from starforge.plan import Process

_NAMES = re.compile(r"\$\{([A-Z]+)\}")


def places_of(launch: Launch) -> dict[str, str]:
    """Return what each placeholder of :data:`starforge.plan.PLACEHOLDERS` stands for."""
    job = launch.job_dir
    places = {
        "JOB": str(job),
        "RECORD": str(job / layout.RECORD),
        "CODE": str(job / layout.CODE),
        "DATA": str(job / layout.DATA),
        "OUTPUT": str(job / layout.OUTPUT),
        "ATTEMPT": str(layout.attempt_dir(job, launch.attempt)),
        "PYTHON": launch.python or shutil.which("python3") or sys.executable,
        "LIB": str(job / layout.LIB),
    }
    return places | {name.upper(): location for name, location in launch.models.items()}


def fill(text: str, places: dict[str, str]) -> str:
    """Replace ``${NAME}`` of known names; anything else is the shell's business."""
    return _NAMES.sub(lambda found: places.get(found[1], found[0]), text)


def launch_document(
    launch: Launch, *, ship_timeout: float, server_file: Path | None = None
) -> dict[str, Any]:
    """Return the content of ``launch.json``; ``server_file``: see ``runner.launch.LaunchFile``."""
    places = places_of(launch)
    plan = launch.plan
    return {
        "job": launch.job_id,
        "attempt": launch.attempt,
        "server": launch.server_url,
        "token": launch.job_token,
        "processes": [
            _process(launch, process, rank, places)
            for process in plan.processes
            for rank in range(process.count)
        ],
        "streams": [msgspec.to_builtins(stream) for stream in streams_of(plan)],
        "policies": _policies(launch),
        "placeholders": places,
        "ship_timeout": ship_timeout,
        "server_file": str(server_file) if server_file else None,
    }


def _policies(launch: Launch) -> dict[str, Any]:
    """Return the policies as the runner reads them: the budget is what is left of it."""
    policies: dict[str, Any] = msgspec.to_builtins(launch.plan.policies)
    if policies["budget"] is not None:
        policies["budget"] = max(1.0, policies["budget"] - launch.spent)
    return policies


def write_launch(path: Path, document: dict[str, Any]) -> None:
    """Write ``launch.json`` whole or not at all; it holds a token, so mode 0600."""
    temp = path.with_name(f".{path.name}.new")
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
        json.dump(document, handle, ensure_ascii=False, indent=1)
        handle.flush()
        os.fsync(handle.fileno())
    temp.replace(path)


def _process(launch: Launch, process: Process, rank: int, places: dict[str, str]) -> dict[str, Any]:
    env = {
        layout.ENV_JOB: launch.job_id,
        layout.ENV_TAG: launch.key,
        layout.ENV_ATTEMPT_DIR: places["ATTEMPT"],
        layout.ENV_OUTPUT_DIR: places["OUTPUT"],
        layout.ENV_ROLE: process.role,
        layout.ENV_RANK: str(rank),
        layout.ENV_CONFIG: str(launch.job_dir / layout.RECORD / "config.json"),
        "CUDA_VISIBLE_DEVICES": ",".join(str(index) for index in launch.gpus),
        "PYTHONUNBUFFERED": "1",
    }
    if launch.resume:
        env[layout.ENV_RESUME] = "1"
    if launch.lang:
        env["SF_LANG"] = launch.lang
    env.update({name: fill(value, places) for name, value in process.env.items()})
    return {
        "role": process.role,
        "rank": rank,
        "argv": [fill(word, places) for word in process.argv],
        "env": env,
        "cwd": fill(process.cwd, places),
    }
