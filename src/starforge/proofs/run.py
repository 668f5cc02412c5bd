"""Run a framework's proof inside its own environment."""

from __future__ import annotations

import os
import subprocess
from importlib import resources
from pathlib import Path

import msgspec

from starforge.errors import StarForgeError
from starforge.frameworks.base import module_name
from starforge.i18n import Text
from starforge.proofs.cases import Case

TIMEOUT = 900.0  # seconds; importing a framework on a busy machine takes minutes
NEMO_RL_SOURCE = "STARFORGE_NEMO_RL_SRC"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What upstream said of one case: how many values were compared, and what was wrong."""

    name: str
    ok: bool
    checked: int = 0
    problems: list[str] = []


class UnprovedError(StarForgeError):
    """The proof itself could not run."""


def prove(framework: str, cases: list[Case], python: Path) -> list[Outcome]:
    """Return one outcome a case, from ``frameworks/<framework>/proof.py``.

    ``python`` is an interpreter that has the pinned framework. Raises :class:`UnprovedError`
    when the script ends with an error or is not finished within 15 minutes.
    """
    script = proof_script(framework)
    try:
        done = subprocess.run(
            [str(python), str(script)], input=msgspec.json.encode(cases), capture_output=True,
            timeout=TIMEOUT, check=False,
            env=os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise _unproved(framework, f"not finished after {TIMEOUT:.0f} s") from error
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise _unproved(framework, " ".join(last) or f"exit code {done.returncode}")
    try:
        return msgspec.json.decode(done.stdout.strip().splitlines()[-1], type=list[Outcome])
    except (msgspec.DecodeError, IndexError) as error:
        raise _unproved(framework, f"its answer can't be read: {error}") from error


def proof_script(framework: str) -> Path:
    """Return the script that proves plans of ``framework``."""
    folder = resources.files("starforge.frameworks").joinpath(module_name(framework))
    script = Path(str(folder.joinpath("proof.py")))
    if not script.is_file():
        raise _unproved(framework, "it has no proof.py")
    return script


def _unproved(framework: str, why: str) -> UnprovedError:
    return UnprovedError(
        "proof/failed",
        Text(f"the proof of {framework} could not run: {why}",
             f"{framework} 的验证无法运行：{why}"),
        Text(f"`sf runtime doctor {framework}` looks at its environment",
             f"用 `sf runtime doctor {framework}` 检查其运行环境"),
    )  # fmt: skip
