"""Run a verl entry point as a StarForge job.

Usage: ``verl_run.py --config C --model M --data D --output O [--teacher T] -- UPSTREAM...``.
What stands after ``--`` is verl's own command without its interpreter. Around it this driver
writes the data in verl's form, gives the job a Ray of its own, follows what verl writes, and
exports the trained model to ``output/model``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import private_ray
import tiny_model
import verl_checkpoints
import verl_data
import verl_export
import verl_models
import verl_reward
from job_files import (
    JobError,
    SeeAboveError,
    attempt_dir,
    declare_artifact,
    output_dir,
    private_folder,
    resuming,
    run,
    say,
    will_leave,
)
from reward_file import note_columns
from verl_follow import Follower
from verl_vllm_name import name_vllm
from verl_words import prepare_words

from starforge.lang import t
from upstream import run_upstream, split_command

DATA_DIR = "data"
WORK_DIR = "work"


def arguments(words: list[str]) -> argparse.Namespace:
    """Read the driver's own part of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--model", required=True, help="a folder, a hub id, or starforge:tiny")
    parser.add_argument("--teacher", help="the same, of the model to learn from")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data files")
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args(words)


def main() -> None:
    """Prepare, train, export."""
    private_ray.forget_others()
    own, upstream = split_command(sys.argv[1:])
    args = arguments(own)
    job = json.loads(args.config.read_text("utf-8"))
    if job["cpu"]:
        # Ray refuses its stand-in for a GPU where this says that there is none.
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    for split, name in job["data"].items():
        target = attempt_dir() / DATA_DIR / f"{split}.parquet"
        count = verl_data.convert(job["kind"], args.data / name, target)
        say("{split}: {count} rows", "{split}：{count} 行", split=split, count=count)
    if job["kind"] != "instruction":
        note_columns([args.data / name for name in job["data"].values()], attempt_dir())
    scratch = output_dir().parent / WORK_DIR
    model = tiny_model.resolve(args.model, scratch)
    teacher = tiny_model.resolve(args.teacher, scratch, "teacher") if args.teacher else None
    verl_models.check(model, teacher, job["model"])
    words = prepare_words(
        upstream, (args.model, model), (args.teacher, teacher), output_dir().parent
    )
    begin(args.output / "checkpoints")
    folder = private_folder("verl")
    env = environment(job, folder)
    try:
        train([sys.executable, *words], job, args.output / "checkpoints", folder, env)
        export(args, job, model, env)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(scratch, ignore_errors=True)


def begin(checkpoints: Path) -> None:
    """Settle which checkpoint verl will find: it goes on from what its tracker names."""
    if not resuming():
        verl_checkpoints.set_aside(checkpoints)
        return
    found = verl_checkpoints.ready_to_resume(checkpoints)
    if found is None:
        say("no checkpoint to resume from: starting from the beginning",
            "没有可恢复的检查点：从头开始")  # fmt: skip
    else:
        say("resuming from {name}", "从 {name} 恢复", name=found.name)


def train(
    command: list[str], job: dict[str, Any], checkpoints: Path, folder: Path, env: dict[str, str]
) -> None:
    """Run verl's command to its end; raises :class:`JobError` when it fails."""
    # verl's sockets and Python's semaphores have fixed places; starforge_verl_guard puts the
    # folder's name into theirs.
    will_leave(folder.with_name(f"rl-colocate-zmq-*-{folder.name}-*"))
    will_leave(Path("/dev/shm") / f"sem.mp-{folder.name}-*")  # noqa: S108
    follower = Follower(attempt_dir(), job["total_steps"], checkpoints, job["keep"])

    def failure() -> str | None:
        return verl_reward.failure(attempt_dir())

    def clean() -> None:
        follower.finish()
        shutil.rmtree(folder, ignore_errors=True)

    follower.start()
    try:
        # verl leaves out the answers whose reward failed, and would train on the others.
        code = run_upstream(command, env=env, on_stop=clean, failed=lambda: bool(failure()))
    finally:
        follower.finish()
    reason = failure()
    if not code and not reason:
        return
    if reason:
        raise JobError(t("the reward: {reason}", "奖励：{reason}", reason=reason))
    raise SeeAboveError(
        t(
            "verl ended with exit code {code}; its own message stands above",
            "verl 以退出码 {code} 结束，具体原因见上方输出",
            code=code,
        )
    )


def environment(job: dict[str, Any], folder: Path) -> dict[str, str]:
    """Return what is added to this process's environment for verl.

    ``folder`` takes everything that verl, vLLM and Ray would leave in ``/tmp``.
    """
    made = private_ray.environment(folder)
    if job["cpu"]:
        shim = attempt_dir() / WORK_DIR
        name_vllm(shim)
        made["PYTHONPATH"] = os.pathsep.join([str(shim), os.environ.get("PYTHONPATH", "")])
    return made


def export(args: argparse.Namespace, job: dict[str, Any], base: str, env: dict[str, str]) -> None:
    """Write the newest checkpoint as a Hugging Face folder, and declare it."""
    checkpoint = verl_checkpoints.newest(args.output / "checkpoints")
    if checkpoint is None:
        say(
            "no checkpoint was saved, so there is no model to export",
            "没有保存检查点，因此没有可导出的模型",
        )
        return
    final = args.output / "model"
    runner: Callable[[list[str]], int] = partial(run_upstream, env=env)
    lora = {**job["lora"], "base": args.model}
    adapter = verl_export.export(checkpoint / job["actor"], final, base, lora=lora, runner=runner)
    declare_artifact(final, "model", "model")
    if adapter is not None:
        declare_artifact(adapter, "adapter", "adapter")
    say(
        "the model of {name} is in {path}",
        "{name} 的模型已写入 {path}",
        name=checkpoint.name,
        path="output/model",
    )


if __name__ == "__main__":
    run(main)
