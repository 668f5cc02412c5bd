"""One method from submission to score: killed in the middle, resumed, exported, benchmarked."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec
from demo_rows import SCORE, Case
from places import HOME, LAB, SfError, ask, sf

PATIENCE = 900.0  # seconds for the first checkpoint; Ray and vLLM start slowly
_STEP = re.compile(r"(\d+)(?:\.json)?$")


class Row(msgspec.Struct, kw_only=True):
    """A line of the table. ``None`` is "does not apply", ``problem`` why it failed."""

    name: str
    steps: int | None = None
    metric: str | None = None
    first: float | None = None
    last: float | None = None
    seconds: float = 0.0
    peak_gb: float | None = None
    resumed: bool | None = None
    exported: bool | None = None
    score: float | None = None
    job: str | None = None
    problem: str | None = None


def train(case: Case, profile: str) -> Row:
    """Run a training method through, on ``profile``; what fails is kept in the row."""
    row = Row(name=case.name)
    began = time.monotonic()
    try:
        _train(case, row, profile)
    except (SfError, OSError, ValueError, KeyError) as error:
        row.problem = " ".join(str(error).split()) or type(error).__name__
        if row.job is not None:
            sf("job", "stop", row.job, "--force", "--wait", check=False)
    row.seconds = time.monotonic() - began
    return row


def _train(case: Case, row: Row, profile: str) -> None:
    then = ["export"] * case.exported + [SCORE.format(profile=profile)] * case.scored
    row.job = submit(case, profile, then=then)
    kill_in_the_middle(row.job)
    ended = ask("job", "wait", row.job, check=False)
    if ended["state"] == "succeeded":
        raise SfError("it ended before it could be killed")
    killed_at = newest_step(row.job)
    ask("job", "resume", row.job)
    done = ask("job", "wait", row.job, "--then", check=False)
    if done["state"] != "succeeded":
        raise SfError(f"{done['state']} after the resume: {done['message'] or done['reason']}")
    row.steps = (done["progress"] or {}).get("step")
    measure(row, done)
    row.resumed = _went_on(row, killed_at)
    _follow_ups(case, row, done)
    if row.resumed is False:
        raise SfError(f"the resumed attempt did not go on from step {killed_at}")


def submit(case: Case, profile: str, *, model: str | None = None, then: Sequence[str] = ()) -> str:
    """Submit the experiment of a case, with another model if one is named; return the job's id."""
    experiment = make_experiment(case, model, then)
    sets = [word for one in case.sets for word in ("--set", one)]
    return str(ask("submit", experiment, "--profile", profile, *sets)["id"])


def make_experiment(case: Case, model: str | None, then: Sequence[str]) -> str:
    """Make the experiment of a case as ``sf new`` does; return its name."""
    name = re.sub(r"[^a-z0-9]+", "-", case.name).strip("-")
    folder = LAB / "experiments" / name
    shutil.rmtree(folder, ignore_errors=True)
    sf("new", name, "--method", case.method)
    file = folder / "experiment.yaml"
    text = re.sub(r"(?m)^then:.*\n", "", file.read_text("utf-8"))
    if case.method.startswith("custom/"):
        shutil.copyfile(Path(__file__).with_name("train.py"), folder / "train.py")
        text = "method: custom/custom\nparams: {script: train.py}\n"
    if model is not None:
        text = re.sub(r"(?m)^model:.*$", f"model: {model}", text)
    if then:
        text += f"\nthen: [{', '.join(then)}]\n"
    file.write_text(text, "utf-8")
    return name


def kill_in_the_middle(job: str) -> None:
    """Kill the trainer with SIGKILL as soon as a checkpoint and the curve up to it are there.

    Some frameworks write a step's curve behind its checkpoint: killed in between, that step
    would be missing from the curve for good.
    """
    attempt = HOME / "jobs" / job / "attempt-0"
    deadline = time.monotonic() + PATIENCE
    while not 0 < newest_step(job) <= _progress(attempt):
        if (attempt / "status.json").exists() and _state(attempt) in ("failed", "stopped"):
            said = sf("job", "logs", job, "--tail", "5", check=False).strip()
            raise SfError(f"it failed before its first checkpoint: {said}")
        if time.monotonic() > deadline:
            raise SfError(f"no checkpoint after {PATIENCE:.0f} s")
        time.sleep(0.02)
    for process in json.loads((attempt / "processes.json").read_text("utf-8")):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process["pid"], signal.SIGKILL)


def _state(attempt: Path) -> str:
    with contextlib.suppress(OSError, ValueError):
        return str(json.loads((attempt / "status.json").read_text("utf-8")).get("state"))
    return ""


def _progress(attempt: Path) -> int:
    with contextlib.suppress(OSError, ValueError, KeyError):
        return int(json.loads((attempt / "progress.json").read_text("utf-8"))["step"])
    return 0


def newest_step(job: str) -> int:
    """Return the step of a job's newest checkpoint, as far as its framework calls it whole."""
    folder = HOME / "jobs" / job / "output" / "checkpoints"
    for tracker in ("latest_checkpointed_iteration.txt", "latest", "_actor/latest"):
        with contextlib.suppress(OSError, ValueError):
            return int((_STEP.search((folder / tracker).read_text("utf-8").strip()) or "0")[1])
    whole = [one for one in folder.glob("*") if one.suffix == ".json" or _is_whole(one)]
    return max((int(found[1]) for one in whole if (found := _STEP.search(one.name))), default=0)


def _is_whole(folder: Path) -> bool:
    return (folder / "trainer_state.json").is_file()


def _went_on(row: Row, killed_at: int) -> bool:
    """Say whether the second attempt begins right behind the checkpoint, with no step lost."""
    if row.metric is None or killed_at < 1:
        return False
    curve = ask("job", "metrics", str(row.job), "--name", row.metric)[row.metric]
    return is_one(curve["step"], curve["attempt"], killed_at)


def is_one(steps: list[int], attempts: list[int], killed_at: int) -> bool:
    """Say whether a curve has every step once: to ``killed_at`` of attempt 0, behind it of 1."""
    last = max(steps, default=0)
    wanted = [int(step > killed_at) for step in range(1, last + 1)]
    return last > killed_at and steps == list(range(1, last + 1)) and attempts == wanted


def measure(row: Row, job: dict[str, Any]) -> None:
    """Fill in what the curves of a job that has ended say."""
    curves = ask("job", "metrics", str(row.job))
    row.metric = shown(job["primary_metrics"], {n for n, curve in curves.items() if curve["step"]})
    if row.metric is not None:
        begun = ask("job", "metrics", str(row.job), "--attempt", "0").get(row.metric, {})
        row.last = _finite(curves[row.metric])[-1]
        row.first = (_finite(begun) or [row.last])[0]
    row.peak_gb = max(_finite(curves.get("system/job_memory_gb", {})), default=0.0) or None


def shown(primary: list[str], there: Collection[str]) -> str | None:
    """Return the curve that the table shows: the reward where it is what counts, else a loss."""
    rewarded = ["train/reward"] * ("train/reward" in primary)
    return next((name for name in [*rewarded, *primary, "train/loss"] if name in there), None)


def _finite(curve: dict[str, Any]) -> list[float]:
    return [value for value in curve.get("value", []) if value is not None]


def _follow_ups(case: Case, row: Row, job: dict[str, Any]) -> None:
    models = [one for one in job["outputs"] if one["kind"] == "model"]
    row.exported = None
    if case.exported:
        row.exported = any((one["meta"] or {}).get("check") for one in models)
    children = {child["method"]: child for child in job["children"]}
    for child in children.values():
        if child["state"] != "succeeded":
            raise SfError(f"{child['name']} {child['state']}: {child['message'] or ''}")
    if case.exported and not row.exported:
        raise SfError("the export was not checked")
    if case.scored:
        row.score = score_of(children["evalkit/benchmark"]["id"])


def score_of(job: str) -> float:
    """Return the score that a benchmark job put on the board."""
    found = [row["value"] for row in ask("bench", "board") if row["job"] == job]
    if not found:
        raise SfError("no score on the board")
    return float(found[0])


def benchmark(harness: str) -> Row:
    """Score the tiny model with a harness."""
    row = Row(name=f"evalkit/{harness}")
    began = time.monotonic()
    try:
        row.job = str(
            ask("bench", "run", "starforge:tiny", "--benchmark", "basics", "--limit", "3",
                "--harness", harness, "--set", "max_new_tokens=8")["id"]
        )  # fmt: skip
        done = ask("job", "wait", row.job, check=False)
        if done["state"] != "succeeded":
            raise SfError(f"{done['state']}: {done['message'] or done['reason']}")
        measure(row, done)
        row.score = score_of(row.job)
    except (SfError, OSError, ValueError, KeyError) as error:
        row.problem = " ".join(str(error).split())
    row.seconds = time.monotonic() - began
    return row
