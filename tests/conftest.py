"""The interpreters of the pinned runtimes; without them some tests can't run.

``make test`` builds the runtimes and sets ``STARFORGE_REQUIRE_RUNTIMES``, so that there a
missing one is a failure and not a skip.
"""

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
        missing = f"runtime {name} is not installed: run `make runtimes`"
        if os.environ.get("STARFORGE_REQUIRE_RUNTIMES"):
            pytest.fail(missing)
        pytest.skip(missing)
    return str(runtime.python)


@pytest.fixture(scope="session")
def trl_python() -> str:
    """Return the interpreter of the TRL runtime."""
    return interpreter("trl")


@pytest.fixture(scope="session")
def evalkit_python() -> str:
    """Return the interpreter of the benchmark runtime."""
    return interpreter("evalkit")
