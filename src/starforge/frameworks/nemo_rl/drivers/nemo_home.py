"""Find NeMo-RL: its checkout or image, the interpreter that has it, and its version."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path

from job_files import JobError

from starforge.lang import t

HOME = "NEMO_RL_HOME"
PYTHON = "NEMO_RL_PYTHON"
IMAGE_HOME = Path("/opt/nemo-rl")  # where the official image has it
IMAGE_PYTHON = Path("/opt/nemo_rl_venv/bin/python")


def find_home(script: str, version: str) -> Path:
    """Return the checkout that holds ``script``; raises :class:`JobError` when it is not right.

    ``NEMO_RL_HOME`` names it; without it the place of the official image is taken.
    """
    home = Path(os.environ.get(HOME) or IMAGE_HOME)
    if not (home / script).is_file():
        raise JobError(
            t(
                "NeMo-RL is not in {home}: run this job in its image, or set {variable} to a "
                "checkout on the machine that runs jobs",
                "{home} 中没有 NeMo-RL：请在其镜像中运行该任务，"
                "或在运行任务的机器上把 {variable} 设为检出目录",
                home=home,
                variable=HOME,
            )
        )
    found = version_of(home)
    if found != version:
        raise JobError(
            t(
                "NeMo-RL in {home} is {found}, and the job was checked for {version}",
                "{home} 中的 NeMo-RL 是 {found}，而该任务是按 {version} 检查的",
                home=home,
                found=found or "?",
                version=version,
            )
        )
    return home


def version_of(home: Path) -> str | None:
    """Read the version that a checkout gives itself, ``None`` when it gives none."""
    try:
        text = (home / "nemo_rl" / "package_info.py").read_text("utf-8")
    except OSError:
        return None
    numbers = [re.search(rf"^{name} = (\d+)", text, re.M) for name in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(one[1] for one in numbers if one) if all(numbers) else None


def find_python(home: Path) -> str:
    """Return the interpreter that has NeMo-RL's packages.

    ``NEMO_RL_PYTHON`` names it; then the one that runs this driver if it has Ray, that of the
    image, the checkout's own environment.
    """
    chosen = os.environ.get(PYTHON)
    if chosen:
        if not Path(chosen).exists():
            raise JobError(
                t("{variable} names {path}, which does not exist",
                  "{variable} 指向的 {path} 不存在", variable=PYTHON, path=chosen)
            )  # fmt: skip
        return chosen
    if importlib.util.find_spec("ray") is not None:
        return sys.executable
    places = (IMAGE_PYTHON, home / ".venv" / "bin" / "python")
    return next((str(one) for one in places if one.exists()), sys.executable)
