"""CPU seconds of common commands, as multiples of a bare interpreter in the same run."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Row, cpu_seconds, median

SF = str(Path(sys.executable).parent / "sf")
COMMANDS = (
    (["--help"], "at most 8 x"),
    (["methods"], "at most 12 x"),
    (["methods", "trl/sft"], "at most 12 x"),
)


def run() -> Iterator[Row]:
    """Measure with a home of its own, so that no server of the user answers."""
    bare = median(lambda: cpu_seconds([sys.executable, "-c", "pass"]))
    yield Row("cli_startup", "python -c pass", bare, "CPU s")
    with tempfile.TemporaryDirectory() as folder:
        env = {"STARFORGE_HOME": f"{folder}/home", "SF_LANG": "en"}
        for args, goal in COMMANDS:
            took = median(lambda args=args: cpu_seconds([SF, *args], env))
            yield Row("cli_startup", f"sf {' '.join(args)}", took / bare, "x bare", goal)
        lab = f"{folder}/lab"
        cpu_seconds([SF, "init", lab], env)
        cpu_seconds(["sh", "-c", f"cd {lab} && {SF} new sample --method trl/sft"], env)
        took = median(lambda: cpu_seconds([SF, "validate", f"{lab}/experiments/sample"], env))
        yield Row("cli_startup", "sf validate (sample)", took / bare, "x bare", "at most 25 x")
