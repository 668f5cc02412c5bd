"""Run one of NeMo-RL's scripts in this process, with StarForge's hooks in place.

``python nemo_launch.py [--method NAME] [--reward FILE] SCRIPT [its arguments]``; runs in the
interpreter that has NeMo-RL. The script is upstream's own file, run as if it had been started
directly.
"""

from __future__ import annotations

import argparse
import importlib
import os
import runpy
import sys
import tempfile
from pathlib import Path

import tiny_model
from job_files import JobError, one_line, stop_on_sigterm
from reward_file import RewardError, RewardFile

from starforge.lang import t

MODELS = ("STARFORGE_MODEL", "STARFORGE_TEACHER")
OWN_METHODS = {"maxrl": "nemo_maxrl", "opsd": "nemo_opsd"}


def main() -> None:
    """Make the tiny model when it is asked for, install hooks, run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", choices=sorted(OWN_METHODS))
    parser.add_argument("--reward", type=Path)
    parser.add_argument("script", type=Path)
    args, rest = parser.parse_known_args()
    stop_on_sigterm()
    if args.reward is not None:
        try_reward(args.reward)
    for name in MODELS:
        if os.environ.get(name) == tiny_model.REFERENCE:
            scratch = Path(os.environ.get("STARFORGE_ATTEMPT_DIR") or tempfile.mkdtemp())
            os.environ[name] = tiny_model.resolve(tiny_model.REFERENCE, scratch)
    import nemo_hooks

    nemo_hooks.install()
    if args.method:
        importlib.import_module(OWN_METHODS[args.method]).install()
    sys.argv = [str(args.script), *rest]
    runpy.run_path(str(args.script), run_name="__main__")


def try_reward(path: Path) -> None:
    """Load the reward file once, so that a mistake in it shows before any model is loaded."""
    try:
        RewardFile(path)
    except RewardError as error:
        raise JobError(one_line(error)) from error


if __name__ == "__main__":
    try:
        main()
    except JobError as error:
        print(t("error: ", "错误：") + one_line(error), file=sys.stderr, flush=True)
        sys.exit(1)
