"""Run a reward file once on a few rows: the child process of :mod:`starforge.checks.reward`.

``python reward_trial.py DRIVER FILE RESULT LIB SECONDS``: DRIVER is the ``reward_file.py`` that
jobs use themselves, FILE the user's, LIB the folder with the package ``starforge`` of jobs; the
batch is read from standard input, the outcome is written to RESULT. What the user's code prints
goes nowhere. Standard library only.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

MOST_CALLS, FEWEST_CALLS, ENOUGH = 50, 3, 4.0  # of one size; ENOUGH are seconds
WORTH_AGAIN = 8.0  # seconds
MEMORY = 8 << 30  # bytes of address space; libraries reserve far more than they use
FILE_BYTES = 64 << 20


def main(driver: str, file: str, result: str, library: str, seconds: str) -> None:
    """Write ``{"rewards": [...], "seconds": S}``, or what went wrong."""
    batch = json.loads(sys.stdin.buffer.read())
    _limit(float(seconds))
    sys.path.insert(0, library)
    forks, writes = _ours("reward_forks").Forks(), _ours("reward_writes").Writes()
    outcome = _tried(_load("reward_file", driver), Path(file), batch, forks)
    forks.leave()  # one process answers
    outcome["wrote"] = writes.first
    Path(result).write_text(json.dumps(outcome), "utf-8")


def _limit(seconds: float) -> None:
    limits = (
        # Of all threads; the parent counts the seconds on the clock.
        (resource.RLIMIT_CPU, max(30, int(seconds) * (os.cpu_count() or 1))),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    )
    for kind, value in limits:
        # A lower limit than ours may hold already, and is as good.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))


def _ours(name: str) -> Any:
    return _load(name, str(Path(__file__).with_name(f"{name}.py")))


def _load(name: str, file: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _tried(driver: Any, file: Path, batch: dict[str, Any], forks: Any) -> dict[str, Any]:
    try:
        function = driver.RewardFile(file, watched=False)  # the parent keeps the time
        scores, seconds = _call(function, batch, len(batch["completions"]))
        if forks.came_back():
            return {"problem": f"{file.name} forks, and the new process comes back from the call"}
        forks.begin()
        if batch.get("again") and seconds < WORTH_AGAIN:
            # The first call may have loaded something; only what later ones take counts.
            seconds = min(seconds, _call(function, batch, len(batch["completions"]))[1])
        calls = {size: _measured(function, batch, size, forks) for size in batch.get("sizes", ())}
    except driver.RewardError as error:
        return _problem(error, file)
    except SystemExit as error:
        return {"problem": f"{file.name} ends the process (exit code {error.code})"}
    found = {
        "rewards": [score.total for score in scores],
        "parts": [score.parts for score in scores],
        "seconds": seconds,
        "time_limit": function.time_limit,
        "weights": list(function.weights),
    }
    return found | ({"calls": calls} if calls else {})


def _call(function: Any, batch: dict[str, Any], size: int) -> tuple[Any, float]:
    """Score ``size`` completions, the batch over and over; return the scores and the seconds."""

    def take(values: list[Any]) -> list[Any]:
        return (values * (size // len(values) + 1))[:size]

    columns = {name: take(values) for name, values in batch["columns"].items()}
    prompts, completions = take(batch["prompts"]), take(batch["completions"])
    began = time.perf_counter()
    scores = function(prompts, completions, columns)
    return scores, time.perf_counter() - began


def _measured(function: Any, batch: dict[str, Any], size: int, forks: Any) -> list[float]:
    """Return the seconds of calls with ``size`` completions: 50, or fewer when they are slow."""
    taken: list[float] = []
    while len(taken) < MOST_CALLS and (len(taken) < FEWEST_CALLS or sum(taken) < ENOUGH):
        forks.begin()
        taken.append(_call(function, batch, size)[1])
    return taken


def _problem(error: BaseException, file: Path) -> dict[str, Any]:
    cause = error.__cause__
    found: dict[str, Any] = {"problem": str(error)}
    if isinstance(cause, ModuleNotFoundError):
        found["module"] = cause.name
    if type(cause).__name__ == "JudgeOffError":
        found["judge"] = True
    if cause is not None:
        frames = traceback.extract_tb(cause.__traceback__)
        own = [frame.lineno for frame in frames if Path(frame.filename) == file]
        found["line"] = own[-1] if own else None
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
