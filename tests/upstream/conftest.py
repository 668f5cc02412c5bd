"""The interpreters of the pinned runtimes; without them these tests can't run."""

import os
from pathlib import Path

import pytest

from starforge.home import starforge_home
from starforge.runtimes import detect_device, find


def interpreter(name: str) -> str:
    """Return a runtime's Python, or skip the test saying how to get it."""
    chosen = os.environ.get(f"STARFORGE_TEST_{name.upper()}_PYTHON")
    if chosen:
        assert Path(chosen).exists(), f"{chosen} does not exist"
        return chosen
    runtime = find(starforge_home(), name, detect_device())
    if runtime is None:
        pytest.skip(f"runtime {name} is not installed: run `make runtimes`")
    return str(runtime.python)


@pytest.fixture(scope="session")
def trl_python() -> str:
    """Return the interpreter of the TRL runtime."""
    return interpreter("trl")


@pytest.fixture(scope="session")
def evalkit_python() -> str:
    """Return the interpreter of the benchmark runtime."""
    return interpreter("evalkit")
