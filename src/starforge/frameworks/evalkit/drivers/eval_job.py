"""What the drivers of both harnesses share: the job they are given, and its benchmarks."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import job_files
import tiny_model
from eval_progress import Progress
from job_files import JobError, say

NAMES = ("config", "model", "data", "output", "record", "code")


class Job(NamedTuple):
    """A benchmark job: native keys that differ, benchmarks, the model's folder, its output."""

    config: dict[str, Any]
    benchmarks: list[dict[str, Any]]
    model: str
    output: Path


def read_job(description: str | None) -> Job:
    """Read the command line and ``record/config.json``, and make the tiny model if asked for."""
    parser = argparse.ArgumentParser(description=description)
    for name in NAMES:
        parser.add_argument(f"--{name}", required=name in ("config", "model"), default=".")
    arguments = parser.parse_args()
    places = {
        name.upper(): str(Path(getattr(arguments, name)).absolute())
        for name in ("data", "record", "code")
    }
    job = job_files.fill(json.loads(Path(arguments.config).read_text("utf-8")), places)
    output = Path(arguments.output)
    output.mkdir(parents=True, exist_ok=True)
    say("loading the model", "正在加载模型")
    model = tiny_model.resolve(arguments.model, output)
    return Job(job["config"], job["benchmarks"], model, output)


def run_each(
    benchmarks: list[dict[str, Any]], progress: Progress, run: Callable[[dict[str, Any]], None]
) -> None:
    """Run one benchmark after the other; one that fails does not take the others with it.

    Raises :class:`JobError` at the end when any failed.
    """
    failures: list[JobError] = []
    for benchmark in benchmarks:
        say("benchmark {name}", "评测包 {name}", name=benchmark["name"])
        progress.begin(benchmark["name"])
        try:
            run(benchmark)
        except JobError as error:
            say("{name} failed: {error}", "{name} 失败：{error}",
                name=benchmark["name"], error=error)  # fmt: skip
            failures.append(error)
    progress.finish()
    if failures:
        raise JobError("; ".join(str(error) for error in failures)) from failures[0]
