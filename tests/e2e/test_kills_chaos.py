"""The short version of ``make chaos``: random kills for half a minute, nothing lost."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

RUN = Path(__file__).parents[2] / "scripts" / "chaos" / "run.py"


def test_random_kills_lose_nothing_and_double_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, str(RUN), "--minutes", "0.5", "--seed", "11", "--jobs", "3"],
        capture_output=True, text=True, timeout=280, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "jobs with faults 0" in done.stdout and "processes left: none" in done.stdout
