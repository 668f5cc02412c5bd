"""Every process collects the same tests, whatever its hash seed and the second it starts in."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_worker_collects_the_same_tests():
    """With pytest-xdist a test named by its time, or an unordered set, stops the whole run."""
    first, second = collected("1"), collected("2")
    assert len(first) > 1000
    assert first == second


def collected(hash_seed: str) -> list[str]:
    """Return the names of all tests, as a process of its own sees them."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    run = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "STARFORGE_TEST_ALL": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    return [line for line in run.stdout.splitlines() if "::" in line]
