"""Where the demonstration keeps things, and ``sf`` as it runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
ROOT = Path(os.environ.get("STARFORGE_DEMO_ALL", REPOSITORY / ".demo-all")).absolute()
HOME = ROOT / "home"
LAB = ROOT / "lab"
RUNTIMES = Path(os.environ.get("STARFORGE_RUNTIMES", REPOSITORY / ".runtimes")).absolute()
# For everything that is started from here: a home and a server of its own.
os.environ["STARFORGE_HOME"], os.environ["STARFORGE_RUNTIMES"] = str(HOME), str(RUNTIMES)
os.environ.pop("STARFORGE_SERVER", None)


class SfError(Exception):
    """A command of ``sf`` failed; the message is what it said."""


def sf(*words: str, cwd: Path = LAB, check: bool = True) -> str:
    """Run ``sf`` and return its standard output; :class:`SfError` when it fails."""
    beside = Path(sys.executable).with_name("sf")
    program = str(beside) if beside.exists() else (shutil.which("sf") or "sf")
    done = subprocess.run([program, *words], cwd=cwd, capture_output=True, text=True, check=False)
    if check and done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise SfError(f"sf {' '.join(words[:3])}: {' | '.join(said[-4:])}")
    return done.stdout


def ask(*words: str, check: bool = True) -> Any:
    """Return what ``sf ... --json`` says."""
    return json.loads(sf(*words, "--json", check=check))
