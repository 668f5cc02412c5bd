"""Where the demo keeps things. Everything lies below one folder and can be deleted with it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ROOT = Path(os.environ.get("STARFORGE_DEMO", REPOSITORY / ".demo")).absolute()
HOME = Path(os.environ.get("STARFORGE_HOME", ROOT / "home")).absolute()
RUNTIMES = Path(os.environ.get("STARFORGE_RUNTIMES", REPOSITORY / ".runtimes")).absolute()
# For everything the demo starts, and for the parts of StarForge it imports.
os.environ["STARFORGE_HOME"], os.environ["STARFORGE_RUNTIMES"] = str(HOME), str(RUNTIMES)

LAB = ROOT / "lab"
TOOLS = ROOT / "tools"

MODEL_NAME = "SmolLM2-135M-Instruct"
MODEL = LAB / "models" / MODEL_NAME
LEARN, PRACTISE = "learn-sums", "practise-sums"
PIPELINE = "sums"
BENCHMARK = "sums"


def share_runtimes() -> None:
    """Let the demo's home find the shared runtimes by itself, also in the user's own shell."""
    HOME.mkdir(mode=0o700, parents=True, exist_ok=True)
    link = HOME / "runtimes"
    if link != RUNTIMES and not link.exists():
        link.unlink(missing_ok=True)
        link.symlink_to(RUNTIMES, target_is_directory=True)


def sf() -> str:
    """Return the command ``sf`` that belongs to this interpreter."""
    beside = Path(sys.executable).with_name("sf")
    return str(beside) if beside.exists() else (shutil.which("sf") or "sf")


def runtime_python(name: str) -> Path:
    """Return the interpreter of an installed runtime for the CPU."""
    from starforge.runtimes import find

    found = find(HOME, name, "cpu")
    if found is None:
        raise SystemExit(f"the runtime {name} is not installed: sf runtime install {name}")
    return found.python
