"""Run an official OpenRLHF command as a StarForge job.

Usage: ``openrlhf_run.py --config C --model M --data D [--cpu FOLDER] -- UPSTREAM COMMAND``.
Writes the data in upstream's form, starts the command with this interpreter, follows its
event files, and moves the final model to the job's output folder.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import openrlhf_checkpoints
import openrlhf_data
import openrlhf_models
import private_ray
import tiny_model
from job_files import (
    JobError,
    SeeAboveError,
    attempt_dir,
    output_dir,
    private_folder,
    resuming,
    run,
    say,
    write_progress,
)
from openrlhf_export import export
from openrlhf_watch import Watch

from starforge import layout
from starforge.lang import t
from upstream import run_upstream, split_command

RAY_DRIVER = "openrlhf_ray.py"
FAKE_GPUS = 6  # one for each model and for vLLM, whatever is colocated
REWARD_ERROR = "reward-error.txt"


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """Read this driver's own part of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--model", required=True, help="a folder, a hub id, or starforge:tiny")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data files")
    parser.add_argument("--cpu", type=Path, help="stand-ins for GPU calls; only without a GPU")
    return parser.parse_args(words)


def check_paths(job: dict[str, Any]) -> None:
    """Upstream splits paths of data at ``@``, and those of data and rewards at commas."""
    place = str(attempt_dir().resolve())
    reward = os.environ.get("STARFORGE_REWARD_FILE", "") if job["kind"] == "ppo" else ""
    if "," in place + reward or "@" in place:
        raise JobError(
            t(
                "OpenRLHF can't read paths with `,` or `@`: {path}; move STARFORGE_HOME",
                "OpenRLHF 无法读取含 `,` 或 `@` 的路径：{path}；请移动 STARFORGE_HOME",
                path=place,
            )
        )


def upstream_words(words: list[str], model: str) -> list[str]:
    """Return upstream's command with the tiny model's folder in, keeping every checkpoint.

    Upstream deletes an older checkpoint before the newer is written, so that a job killed in
    between may have none; ``openrlhf_checkpoints.tidy`` deletes them instead.
    """
    made = [model if word == tiny_model.REFERENCE else word for word in words]
    return [*made, "--ckpt.max_num", str(sys.maxsize)]


def begin(checkpoints: Path, total: int | None) -> int | None:
    """Return the step to go on from; ``None`` when training starts from the beginning."""
    if not resuming():
        openrlhf_checkpoints.set_aside(checkpoints)
        return None
    name = openrlhf_checkpoints.ready_to_resume(checkpoints)
    if name is None:
        say("no checkpoint to resume from: starting from the beginning",
            "没有可恢复的检查点：从头开始")  # fmt: skip
        return None
    say("resuming from {name}", "从 {name} 恢复", name=name)
    step = openrlhf_checkpoints.step_of(name)
    write_progress(step, total)
    return step


def command(words: list[str], job: dict[str, Any], *, fake_gpus: bool) -> list[str]:
    """Return the words of the process to start: upstream's, on a Ray of its own for RL."""
    if job["kind"] != "ppo":
        return [sys.executable, *words]
    module = words[words.index("-m") + 1 :]
    # Ray counts CPUs for every actor; the work of most of them is waiting.
    cpus = max(FAKE_GPUS, int(job["cpus"]), 2 * int(job["gpus"]) + 4)
    fake = ["--fake-gpus", str(FAKE_GPUS)] if fake_gpus else []
    driver = str(Path(__file__).with_name(RAY_DRIVER))
    return [sys.executable, driver, "--cpus", str(cpus), *fake, "--", *module]


def environment(
    job: dict[str, Any], args: argparse.Namespace, model: str, folder: Path
) -> dict[str, str]:
    """Return what the process needs besides the plan's environment.

    ``folder`` takes everything that OpenRLHF, vLLM and Ray would leave in ``/tmp``.
    """
    env = private_ray.environment(folder) | {
        "HF_DATASETS_CACHE": str(scratch_dir() / "datasets"),
        "STARFORGE_MODEL": model,
        "RAY_raylet_start_wait_time_s": "120",
        "RAY_agent_register_timeout_ms": "100000",
    }
    if job["kind"] != "ppo" and int(job["gpus"]) <= 1:
        env |= {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(free_port())}  # fmt: skip
    if args.cpu is not None:
        paths = [str(args.cpu), os.environ.get("PYTHONPATH", "")]
        env |= {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "STARFORGE_OPENRLHF_CPU": "1"}
    return env


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def scratch_dir() -> Path:
    """Return a folder for what only this attempt needs (caches, the tiny model)."""
    return attempt_dir() / "scratch"


def main() -> None:
    """Prepare, train, export."""
    private_ray.forget_others()
    own, words = split_command(sys.argv[1:])
    args = arguments(own)
    job = json.loads(args.config.read_text("utf-8"))
    check_paths(job)
    attempt, output = attempt_dir(), output_dir()
    openrlhf_data.prepare(job, args.data, attempt / "data")
    if "STARFORGE_REWARD_FILE" in os.environ:
        from reward_file import note_columns  # travels with such jobs only

        note_columns([args.data / name for name in job["data"].values()], attempt)
    model = tiny_model.resolve(args.model, scratch_dir())
    openrlhf_models.check(model, words, job)
    words = upstream_words(words, model)
    if begin(output / "checkpoints", job["total_steps"]) is not None:
        words.append("--ckpt.load_enable")
    folder = private_folder("openrlhf")
    try:
        env = environment(job, args, model, folder)
        train(command(words, job, fake_gpus=args.cpu is not None), job, env, folder)
        export(attempt / "export", output, model=model, lora=job["lora"],
               precision=job["precision"], env=env)  # fmt: skip
        tiny_model.name_in(output / "adapter", args.model)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(scratch_dir(), ignore_errors=True)
    shutil.rmtree(attempt / "data", ignore_errors=True)


def train(words: list[str], job: dict[str, Any], env: dict[str, str], folder: Path) -> None:
    """Run upstream's command to its end; raises :class:`JobError` when it fails."""
    attempt = attempt_dir()
    watch = Watch(
        attempt / layout.TENSORBOARD,
        job["total_steps"],
        samples="STARFORGE_REWARD_FILE" not in os.environ,
        tidy=partial(openrlhf_checkpoints.tidy, output_dir() / "checkpoints", job["keep"]),
    )

    def clean() -> None:
        watch.finish()
        shutil.rmtree(folder, ignore_errors=True)

    watch.start()
    try:
        code = run_upstream(words, env=env, on_stop=clean)
    finally:
        watch.finish()
    if not code:
        return
    problem = attempt / REWARD_ERROR
    if problem.is_file():
        raise JobError(
            t("the reward: {reason}", "奖励：{reason}", reason=problem.read_text("utf-8"))
        )
    raise SeeAboveError(
        t(
            "OpenRLHF ended with exit code {code}; its own message stands above",
            "OpenRLHF 以退出码 {code} 结束，具体原因见上方输出",
            code=code,
        )
    )


if __name__ == "__main__":
    run(main)
