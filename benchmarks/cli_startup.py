"""CPU seconds of common commands, as multiples of a bare interpreter in the same run."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.harness import Row, best, cpu_seconds
from starforge.catalog import load

SF = str(Path(sys.executable).parent / "sf")
RUNS = 9
_OTHER_DATA = """
import pathlib, sys
from starforge.catalog import load
load.DATA = pathlib.Path(sys.argv.pop(1))
from starforge.cli.main import main
main()
"""


def run() -> Iterator[Row]:
    """Measure with a home of its own, so that no server of the user answers."""
    bare = best(lambda: cpu_seconds([sys.executable, "-c", "pass"]), RUNS)
    yield Row("cli_startup", "python -c pass", bare, "CPU s")
    with tempfile.TemporaryDirectory() as folder:
        env = {"STARFORGE_HOME": f"{folder}/home", "XDG_CACHE_HOME": f"{folder}/cache"}
        ten = _tenfold_catalog(Path(folder) / "data")

        def times(argv: Sequence[str], **more: str) -> float:
            return best(lambda: cpu_seconds(argv, env | more), RUNS) / bare

        yield Row("cli_startup", "sf --help", times([SF, "--help"]), "x bare", at_most=8)
        for args in (["methods"], ["methods", "trl/sft"]):
            yield Row(
                "cli_startup", f"sf {' '.join(args)}", times([SF, *args]), "x bare", at_most=12,
                tenfold=times([sys.executable, "-c", _OTHER_DATA, str(ten), *args]),
                work="ten times the methods",
            )  # fmt: skip
            nowhere = times([SF, *args], XDG_CACHE_HOME="/dev/null")
            yield Row("cli_startup", f"sf {' '.join(args)}, nothing kept", nowhere, "x bare")
        sample = _sample(Path(folder) / "lab", env)
        few = times([SF, "validate", str(sample)])
        _repeat_rows(sample, 10)
        yield Row(
            "cli_startup", "sf validate (sample)", few, "x bare", at_most=25,
            tenfold=times([SF, "validate", str(sample)]), work="ten times the rows",
        )  # fmt: skip


def _tenfold_catalog(folder: Path) -> Path:
    """Copy the bundled catalog, with nine more of every method."""
    shutil.copytree(load.DATA, folder)
    for file in folder.glob("recipes/*/[!_]*.yaml"):
        for number in range(2, 11):
            copy = file.with_stem(f"{file.stem}-{number}")
            shutil.copy(file, copy)
            if file.with_suffix("").is_dir():
                shutil.copytree(file.with_suffix(""), copy.with_suffix(""))
    return folder


def _sample(lab: Path, env: dict[str, str]) -> Path:
    cpu_seconds([SF, "init", str(lab)], env)
    cpu_seconds([SF, "new", "sample", "--method", "trl/sft"], env, cwd=lab)
    return lab / "experiments" / "sample"


def _repeat_rows(sample: Path, times: int) -> None:
    """Write the rows of the training data several times, no two of them the same."""
    for file in sample.glob("data/train*.jsonl"):
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        text = "".join(
            json.dumps(row).replace('"content": "', f'"content": "{number} ') + "\n"
            for number in range(times)
            for row in rows
        )
        file.write_text(text, "utf-8")
