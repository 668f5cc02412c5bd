"""The smallest settings that prove each verl method on a CPU, and jobs that use them."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from job_support import Job
from trl_support import TINY, Trial

from starforge.runner import reap

MODELS = {"teacher": TINY}
STEPS, KILL_AT = 4, 2
# Four steps of two prompts are an epoch of the eight sample rows: killed after the second,
# a job has to go on in the middle of it. The cosine shows whether the schedule went on, too.
RL = (f"max_steps={STEPS}", "prompts_per_step=2", "mini_batch_size=2", "save_steps=1",
      "lr_schedule=cosine")  # fmt: skip
# Four steps of four rows are two epochs: killed after the second, it goes on between them.
SFT = (f"max_steps={STEPS}", "epochs=2", "global_batch_size=4", "batch_size=2", "save_steps=1",
       "lr_schedule=cosine", "learning_rate=1e-3")  # fmt: skip
SETTINGS = {
    "grpo": RL, "dapo": RL, "ppo": RL, "rloo": RL, "reinforce-baseline": RL, "remax": RL,
    "distillation": RL, "sft": SFT,
}  # fmt: skip
# Any letter or digit is worth something, so that rewards differ on a model of random weights.
REWARD = """
def reward(prompts, completions, answer):
    return [{"plain": sum(c.isascii() and c.isalnum() for c in text) / max(1, len(text))}
            for text in completions]
"""


def make_job(root: Path, method: str, *more: str) -> Job:
    """Return a job of ``sf new``'s experiment of a method with its smallest settings."""
    trial = Trial(root, f"verl/{method}")
    if (trial.folder / "reward.py").exists():
        (trial.folder / "reward.py").write_text(REWARD, "utf-8")
    return trial.job(*SETTINGS[method], *more)


def run(job: Job, python: str, **how: Any) -> str:
    """Run an attempt to its end and return what it wrote; it must end well."""
    process = subprocess.Popen(**job.process(python=python, model=TINY, models=MODELS, **how))
    try:
        said = process.communicate(timeout=900)[0]
        assert process.returncode == 0, said[-4000:]
        return str(said)
    finally:
        clear(job, process, how.get("attempt", 0))


def run_until(job: Job, python: str, step: int) -> None:
    """Start a job, and kill its driver once ``step`` is logged and its checkpoint finished.

    Supervised training logs a step before it saves, and its steps are too short to be met
    by their progress.
    """
    supervised = job.plan.method == "verl/sft"
    log = (job.attempt().parent / "log").open("w+")
    words = job.process(python=python, model=TINY, models=MODELS) | {"stdout": log}
    process = subprocess.Popen(**words)
    try:
        deadline = time.monotonic() + 900
        while min(saved(job), step if supervised else logged(job)) < step:
            assert process.poll() is None, Path(log.name).read_text()[-4000:]
            assert time.monotonic() < deadline, f"step {step} does not come"
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
    finally:
        clear(job, process, 0)
        log.close()


def saved(job: Job) -> int:
    """Return the step of the newest finished checkpoint."""
    tracker = job.folder / "output" / "checkpoints" / "latest_checkpointed_iteration.txt"
    return int(tracker.read_text() or 0) if tracker.exists() else 0


def logged(job: Job) -> int:
    """Return the last step whose metrics are written."""
    file = job.attempt() / "progress.json"
    return int(json.loads(file.read_text())["step"]) if file.exists() else 0


def clear(job: Job, process: subprocess.Popen[str], attempt: int) -> None:
    """End what is left of an attempt, as the server does behind a runner that is gone."""
    process.kill()
    reap.kill_tagged(f"{job.id}/{attempt}", attempt_dir=job.attempt(attempt))
    process.wait()
    if process.stdout:
        process.stdout.close()


def left_outside(job: Job, attempt: int = 0) -> list[Path]:
    """Return what an attempt left outside of its folder."""
    lines = (job.attempt(attempt) / "folders.txt").read_text("utf-8").splitlines()
    assert lines
    return [path for line in lines for path in Path(line).parent.glob(Path(line).name)]
