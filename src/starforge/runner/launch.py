"""Read ``launch.json`` and start what it names."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.runner import procs, texts
from starforge.runner.files import write_json
from starforge.runner.texts import Said


class LaunchError(Exception):
    """The attempt can't be started; ``said`` tells a person why."""

    def __init__(self, said: Said) -> None:
        super().__init__(said.en)
        self.said = said


@dataclass(frozen=True, kw_only=True)
class ProcessSpec:
    """One process; ``env`` is added to the runner's own environment."""

    role: str
    rank: int
    argv: list[str]
    env: dict[str, str] = field(default_factory=dict)
    cwd: str | None = None

    @property
    def name(self) -> str:
        """``<role>-<rank>``."""
        return f"{self.role}-{self.rank}"


@dataclass(frozen=True, kw_only=True)
class StreamSpec:
    """Files to ship: a glob relative to the attempt folder."""

    format: str
    path: str
    names: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PolicySpec:
    """When to stop a running job or to raise an alert: see ``plan.Policies``."""

    nan_loss: bool = True
    nan_metrics: list[str] = field(default_factory=list)
    time_limit: float | None = None
    stop_grace: float = 30.0
    disk_full: bool = True
    disk_reserve: float | None = None
    stalled: float | None = None
    budget: float | None = None  # what is left of it for this attempt
    no_signal: int = 50
    kl_explosion: float = 10.0
    length_explosion: float = 4.0


@dataclass(frozen=True, kw_only=True)
class LaunchFile:
    """``launch.json``.

    ``ship_timeout`` is how long (seconds) shipping is tried after the processes ended.
    ``server_file`` may name a ``server.json`` whose ``url`` is read again when the server
    doesn't answer, so that a server that came back on another port is found.
    """

    job: str
    attempt: int
    processes: list[ProcessSpec]
    streams: list[StreamSpec]
    policies: PolicySpec
    server: str | None = None
    token: str = ""
    server_file: str | None = None
    ship_timeout: float = 60.0

    @property
    def tag(self) -> str:
        """Value of ``STARFORGE_TAG``."""
        return f"{self.job}/{self.attempt}"


@dataclass
class Started:
    """A process that was started; ``start_ticks`` tells it from a later one of its pid."""

    spec: ProcessSpec
    popen: subprocess.Popen[bytes]
    start_ticks: int
    started_at: float


def read_launch(attempt_dir: Path) -> LaunchFile:
    """Read and check ``launch.json``.

    Raises:
        LaunchError: it is missing or not of the expected shape.
    """
    path = attempt_dir / layout.LAUNCH
    try:
        raw = json.loads(path.read_text("utf-8"))
        return _launch_file(raw)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        detail = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise LaunchError(texts.bad_launch(str(path), detail)) from error


def _launch_file(raw: dict[str, Any]) -> LaunchFile:
    processes = [
        ProcessSpec(
            role=str(p["role"]),
            rank=int(p.get("rank", 0)),
            argv=[str(word) for word in p["argv"]],
            env={str(k): str(v) for k, v in (p.get("env") or {}).items()},
            cwd=p.get("cwd"),
        )
        for p in raw["processes"]
    ]
    if not processes or not all(p.argv for p in processes):
        raise ValueError("it names no process to start")
    streams = [
        StreamSpec(format=s["format"], path=s["path"], names=dict(s.get("names") or {}))
        for s in raw.get("streams") or []
    ]
    timeout = raw.get("ship_timeout")
    return LaunchFile(
        job=str(raw["job"]),
        attempt=int(raw["attempt"]),
        processes=processes,
        streams=streams,
        policies=_policies(raw.get("policies") or {}),
        server=raw.get("server"),
        token=raw.get("token") or "",
        server_file=raw.get("server_file"),
        ship_timeout=60.0 if timeout is None else float(timeout),
    )


def _policies(raw: dict[str, Any]) -> PolicySpec:
    grace = raw.get("stop_grace")
    return PolicySpec(
        nan_loss=bool(raw.get("nan_loss", True)),
        nan_metrics=list(raw.get("nan_metrics") or []),
        time_limit=_number(raw.get("time_limit")),
        stop_grace=30.0 if grace is None else float(grace),
        disk_full=bool(raw.get("disk_full", True)),
        disk_reserve=_number(raw.get("disk_reserve")),
        stalled=_number(raw.get("stalled")),
        budget=_number(raw.get("budget")),
        no_signal=int(raw.get("no_signal", 50)),
        kl_explosion=float(raw.get("kl_explosion", 10.0)),
        length_explosion=float(raw.get("length_explosion", 4.0)),
    )


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def start_all(launch: LaunchFile, attempt_dir: Path, started: list[Started]) -> None:
    """Start every process, adding each to ``started`` and to ``processes.json`` at once.

    Raises:
        LaunchError: one could not be started; those in ``started`` are running.
    """
    for folder in (layout.LOGS, layout.METRICS, layout.SAMPLES, layout.SCORES):
        (attempt_dir / folder).mkdir(parents=True, exist_ok=True)
    for spec in launch.processes:
        started.append(_start(spec, launch, attempt_dir))
        write_json(attempt_dir / layout.PROCESSES, [_entry(one) for one in started])


def _start(spec: ProcessSpec, launch: LaunchFile, attempt_dir: Path) -> Started:
    cwd = spec.cwd or str(attempt_dir)
    if not Path(cwd).is_dir():
        raise LaunchError(texts.launch_failed(spec.name, f"there is no folder {cwd}"))
    log = attempt_dir / layout.LOGS / f"{spec.name}.log"
    try:
        with log.open("ab", buffering=0) as output:
            popen = subprocess.Popen(
                spec.argv,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env=environment(spec, launch, attempt_dir, os.environ),
                start_new_session=True,
            )
    except (OSError, ValueError) as error:
        raise LaunchError(texts.launch_failed(spec.name, str(error))) from error
    proc = procs.lookup(popen.pid)
    return Started(spec, popen, proc.started if proc else 0, time.time())


def environment(
    spec: ProcessSpec, launch: LaunchFile, attempt_dir: Path, base: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment of a process: the runner's, the plan's, and the job's tags."""
    return {
        **base,
        layout.ENV_OUTPUT_DIR: str(attempt_dir.parent / layout.OUTPUT),
        **spec.env,
        layout.ENV_JOB: launch.job,
        layout.ENV_TAG: launch.tag,
        layout.ENV_ATTEMPT_DIR: str(attempt_dir),
        layout.ENV_ROLE: spec.role,
        layout.ENV_RANK: str(spec.rank),
    }


def _entry(one: Started) -> dict[str, Any]:
    return {
        "role": one.spec.role,
        "rank": one.spec.rank,
        "pid": one.popen.pid,
        "start_ticks": one.start_ticks,
        "started_at": one.started_at,
    }
