"""Run a reward file once on a few rows: the child process of :mod:`starforge.checks.reward`.

``python reward_trial.py DRIVER FILE RESULT``: DRIVER is the ``reward_file.py`` that jobs use
themselves, FILE the user's; the batch is read from standard input, the outcome is written to
RESULT. What the user's code prints goes nowhere. Standard library only.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

CPU_SECONDS = 30
MEMORY = 8 << 30  # bytes of address space; libraries reserve far more than they use
FILE_BYTES = 64 << 20


def main(driver: str, file: str, result: str) -> None:
    """Write ``{"rewards": [...], "seconds": S}``, or what went wrong."""
    batch = json.loads(sys.stdin.buffer.read())
    _limit()
    outcome = _tried(_load(driver), Path(file), batch)
    Path(result).write_text(json.dumps(outcome), "utf-8")


def _limit() -> None:
    limits = (
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    )
    for kind, value in limits:
        # A lower limit than ours may hold already, and is as good.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))


def _load(driver: str) -> Any:
    spec = importlib.util.spec_from_file_location("reward_file", driver)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["reward_file"] = module
    spec.loader.exec_module(module)
    return module


def _tried(driver: Any, file: Path, batch: dict[str, Any]) -> dict[str, Any]:
    try:
        function = driver.RewardFile(file)
        began = time.perf_counter()
        scores = function(batch["prompts"], batch["completions"], batch["columns"])
        seconds = time.perf_counter() - began
    except driver.RewardError as error:
        return _problem(error, file)
    except SystemExit as error:
        return {"problem": f"{file.name} ends the process (exit code {error.code})"}
    return {"rewards": [score.total for score in scores], "seconds": seconds}


def _problem(error: BaseException, file: Path) -> dict[str, Any]:
    cause = error.__cause__
    found: dict[str, Any] = {"problem": str(error)}
    if isinstance(cause, ModuleNotFoundError):
        found["module"] = cause.name
    if cause is not None:
        frames = traceback.extract_tb(cause.__traceback__)
        own = [frame.lineno for frame in frames if Path(frame.filename) == file]
        found["line"] = own[-1] if own else None
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
