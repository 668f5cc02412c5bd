"""The smallest settings that prove each OpenRLHF method on a CPU, and jobs that use them."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from job_support import Job
from trl_support import TINY, Trial
from verl_support import REWARD, clear

from starforge.streams import decode_scalars

STEPS, KILL_AT = 4, 2
# Four steps of two prompts are an epoch of the eight sample rows: killed after the second, a
# job has to go on in the middle of it. The cosine shows whether the schedule went on, too.
RL = ("epochs=1", "prompts_per_step=2", "group_size=2", "global_batch_size=4", "batch_size=2",
      "logprob_batch_size=2", "max_completion_tokens=12", "save_steps=1", "save_limit=2",
      "lr_schedule=cosine", "warmup_ratio=0")  # fmt: skip
# Four steps of four rows are two epochs: killed after the second, it goes on between them.
GIVEN = ("epochs=2", "global_batch_size=4", "batch_size=2", "save_steps=1", "save_limit=2",
         "lr_schedule=cosine", "warmup_ratio=0", "learning_rate=1e-3")  # fmt: skip
SETTINGS = {
    "sft": GIVEN, "dpo": GIVEN, "rm": GIVEN, "grpo": RL, "ppo": RL, "reinforce-baseline": RL,
}  # fmt: skip
RATE = {"grpo": "train/actor_lr", "ppo": "train/actor_lr", "reinforce-baseline": "train/actor_lr"}
ONLINE = frozenset(RATE)


def make_job(root: Path, method: str, *more: str) -> Job:
    """Return a job of ``sf new``'s experiment of a method with its smallest settings."""
    trial = Trial(root, f"openrlhf/{method}")
    if (trial.folder / "reward.py").exists():
        (trial.folder / "reward.py").write_text(REWARD, "utf-8")
    return trial.job(*SETTINGS[method], *more)


def run(job: Job, python: str, **how: Any) -> str:
    """Run an attempt to its end and return what it wrote; it must end well."""
    code, said = run_any(job, python, **how)
    assert code == 0, said[-4000:]
    return said


def run_any(job: Job, python: str, **how: Any) -> tuple[int, str]:
    """Run an attempt to its end and return its exit code and what it wrote."""
    words = {"model": TINY} | how
    process = subprocess.Popen(**job.process(python=python, **words))
    try:
        said = process.communicate(timeout=900)[0]
        return process.returncode, str(said)
    finally:
        clear(job, process, how.get("attempt", 0))


def run_until(job: Job, python: str, step: int) -> None:
    """Start a job, and kill its driver once the checkpoint of ``step`` is finished.

    Steps take an instant each, so it may have come further. A step is logged before it is saved.
    """
    log = (job.attempt().parent / "log").open("w+")
    words = job.process(python=python, model=TINY) | {"stdout": log}
    process = subprocess.Popen(**words)
    try:
        deadline = time.monotonic() + 900
        while saved(job) < step:
            assert process.poll() is None, Path(log.name).read_text()[-4000:]
            assert time.monotonic() < deadline, f"step {step} does not come"
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    finally:
        clear(job, process, 0)
        log.close()


def parts(job: Job) -> list[Path]:
    """Return the folders that hold checkpoints: one, or one for each trained model."""
    folder = job.folder / "output" / "checkpoints"
    return sorted(folder.glob("_*")) or [folder]


def saved(job: Job) -> int:
    """Return the step of the newest checkpoint that is finished for every model."""
    names = [part / "latest" for part in parts(job)]
    if job.plan.method == "openrlhf/ppo" and len(names) < 2:
        return 0
    found = [name.read_text().rpartition("step")[2] if name.exists() else "" for name in names]
    return min(int(step or 0) for step in found)


def kept(job: Job) -> list[list[str]]:
    """Return the names of the checkpoints in every folder of them."""
    return [sorted(path.name for path in part.glob("*global_step*")) for part in parts(job)]


def scalars(job: Job, attempt: int = 0) -> dict[str, dict[int, float]]:
    """Return all curves of an attempt, by upstream's names."""
    series: dict[str, dict[int, float]] = {}
    for file in (job.attempt(attempt) / "tensorboard").glob("run/events.out.tfevents.*"):
        for name, found in decode_scalars("tensorboard", file.read_bytes()).series.items():
            series.setdefault(name, {}).update(zip(found.steps, found.values, strict=True))
    return series
