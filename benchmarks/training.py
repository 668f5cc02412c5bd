"""A real TRL run under StarForge against the very same process without it, in turn."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import Row
from benchmarks.peers import ROOT
from benchmarks.rig import Rig, rig
from starforge.catalog.load import load_catalog
from starforge.client.submit import submit
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare

STEPS = 200
PROFILE = "cpu:1"  # one thread: two that wait for each other would measure the machine's load
TURNS = 3


class Cost(NamedTuple):
    """Seconds of a run."""

    wall: float
    cpu: float


def run() -> Iterator[Row]:
    """Train the tiny model; skip, saying so, where the TRL runtime is not installed."""
    runtimes = os.environ.get("STARFORGE_RUNTIMES") or str(ROOT / ".runtimes")
    if not any(Path(runtimes).glob("trl-*/runtime.json")):
        print("training: the TRL runtime is not installed (make runtimes)")
        return
    with rig(STARFORGE_RUNTIMES=runtimes) as server:
        _pair(server, 5)  # fills the caches of the file system
        pairs = [_pair(server, STEPS) for _ in range(TURNS)]
        bare, under = (_least([pair[side] for pair in pairs]) for side in (0, 1))
        bare_long, under_long = _pair(server, 10 * STEPS)
    work = f"{10 * STEPS:,} steps, which take {bare_long.wall:.0f} s"
    for kind in ("wall", "cpu"):
        less, more = getattr(bare, kind), getattr(under, kind)
        yield Row("training", f"trl/sft, {STEPS} steps, bare: {kind}", less, "s")
        yield Row(
            "training", f"more under StarForge: {kind}", more - less, "s",
            at_most=round(1 + 0.02 * less, 2),
            tenfold=getattr(under_long, kind) - getattr(bare_long, kind), work=work,
        )  # fmt: skip


def _pair(server: Rig, steps: int) -> tuple[Cost, Cost]:
    """Run once under StarForge and once the same process bare; return bare first."""
    lab = server.folder / "trl-lab"
    if not lab.exists():
        init_lab(lab, "en")
        catalog = load_catalog()
        new_experiment(Lab(lab), "sft", catalog.recipe("trl/sft"), catalog, lang="en")
    sets = [f"max_steps={steps}"]
    prepared = prepare(lab / "experiments" / "sft", sets=sets, profile=PROFILE)
    if not prepared.ok:
        raise RuntimeError(str([finding.message.en for finding in prepared.findings]))
    start, before = time.monotonic(), server.cpu()
    job = submit(server.client, prepared, sets=sets, profile=PROFILE).id
    server.wait_ended(job)
    under = Cost(time.monotonic() - start, server.cpu() - before)
    return _bare(server.home / "jobs" / job, server.folder / "bare"), under


def _bare(job: Path, copy: Path) -> Cost:
    """Run a job's process in a copy of its folder, without runner and server."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(job, copy, ignore=shutil.ignore_patterns("attempt-*", "output*"))
    attempt = copy / "attempt-0"
    attempt.mkdir()
    (copy / "output").mkdir()
    text = (job / "attempt-0" / "launch.json").read_text("utf-8").replace(str(job), str(copy))
    process: dict[str, Any] = json.loads(text)["processes"][0]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with (attempt / "log").open("wb") as log:
        subprocess.run(
            process["argv"], check=True, cwd=process["cwd"], env=os.environ | process["env"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, spent)


def _least(costs: list[Cost]) -> Cost:
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs))
