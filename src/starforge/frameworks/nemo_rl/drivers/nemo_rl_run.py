"""Run a NeMo-RL job: prepare data, start upstream's script, hand over what it leaves.

``python nemo_rl_run.py --version V --data FOLDER [--method NAME] [--reward FILE] --
examples/run_X.py --config FILE``. Everything after ``--`` is upstream's own command, run in
the interpreter that has NeMo-RL. This driver needs the standard library only, and ``starforge``
on ``PYTHONPATH``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any

import nemo_data
import nemo_export
import nemo_home
import private_ray
from job_files import (
    JobError,
    SeeAboveError,
    attempt_dir,
    declare_artifact,
    output_dir,
    private_folder,
    run,
    say,
)

from starforge import layout
from starforge.lang import t
from upstream import run_upstream, split_command

TOTAL = "STARFORGE_TOTAL_STEPS"
LONGEST = "STARFORGE_ANSWER_TOKENS"


def arguments(own: list[str]) -> argparse.Namespace:
    """Read this driver's part of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True, help="the NeMo-RL the plan was made for")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data files")
    parser.add_argument("--method", help="a method that StarForge adds to upstream's script")
    parser.add_argument("--reward", help="the user's reward file, looked at before all else")
    return parser.parse_args(own)


def read_job() -> dict[str, Any]:
    """Return ``record/config.json``: data files, their kind, and the number of steps."""
    return json.loads(Path(os.environ[layout.ENV_CONFIG]).read_text("utf-8"))


def prepare_data(job: dict[str, Any], folder: Path) -> None:
    """Write the rows of each split in upstream's form below the attempt."""
    for split, name in job["data"].items():
        target = attempt_dir() / "data" / f"{split}.jsonl"
        count = nemo_data.write(folder / name, target, job["kind"])
        say("{split}: {count} rows", "{split}：{count} 条", split=split, count=count)


def environment(home: Path, job: dict[str, Any], folder: Path) -> dict[str, str]:
    """Return what upstream's processes see besides this one's environment.

    ``folder`` takes everything that NeMo-RL, vLLM and Ray would leave in ``/tmp``.
    """
    paths = [str(Path(__file__).parent), str(home), os.environ.get("PYTHONPATH", "")]
    return private_ray.environment(folder) | {
        nemo_home.HOME: str(home),
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        TOTAL: str(job.get("total_steps") or ""),
        LONGEST: str(job.get("answer_tokens") or ""),
        # Nobody else's cluster, even if the machine names one.
        "RAY_ADDRESS": "local",
        "RAY_USAGE_STATS_ENABLED": "0",
    }


def main() -> None:
    """Prepare, run, export."""
    private_ray.forget_others()
    own, upstream = split_command(sys.argv[1:])
    args = arguments(own)
    if not upstream:
        raise JobError(t("no command after --", "-- 之后没有命令"))
    home = nemo_home.find_home(upstream[0], args.version)
    python = nemo_home.find_python(home)
    job = read_job()
    prepare_data(job, args.data)
    launch = [python, str(Path(__file__).parent / "nemo_launch.py")]
    for name in ("method", "reward"):
        launch += [f"--{name}", getattr(args, name)] if getattr(args, name) else []
    command = [*launch, str(home / upstream[0]), *upstream[1:]]
    folder = private_folder("nemo")
    clean = partial(shutil.rmtree, folder, ignore_errors=True)
    try:
        code = run_upstream(command, env=environment(home, job, folder), on_stop=clean)
    finally:
        clean()
    problem = attempt_dir() / "reward-error.txt"  # written by nemo_reward_env, or the watchdog
    if code and problem.is_file():
        raise JobError(
            t("the reward: {reason}", "奖励：{reason}", reason=problem.read_text("utf-8"))
        )
    if code:
        raise SeeAboveError(
            t("NeMo-RL ended with exit code {code}", "NeMo-RL 以退出码 {code} 结束", code=code)
        )
    if job["export"]:
        final = output_dir() / "model"
        if nemo_export.export(output_dir() / "checkpoints", final, home, python):
            declare_artifact(final, "model", "model")
            say("the model is in {path}", "模型已写入 {path}", path="output/model")


if __name__ == "__main__":
    run(main)
