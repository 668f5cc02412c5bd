"""The interpreters of the pinned runtimes; without them some tests can't run.

``make test`` builds the runtimes and sets ``STARFORGE_REQUIRE_RUNTIMES``, so that there a
missing one is a failure and not a skip.
"""

import os
from pathlib import Path

import pytest

from starforge.home import starforge_home
from starforge.runtimes import detect_device, find


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests out unless they are asked for, by the variable or by ``-m slow``."""
    if os.environ.get("STARFORGE_TEST_ALL") == "1" or "slow" in config.option.markexpr:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]


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
def verl_python() -> str:
    """Return the interpreter of the verl runtime."""
    return interpreter("verl")


@pytest.fixture(scope="session")
def openrlhf_python() -> str:
    """Return the interpreter of the OpenRLHF runtime."""
    return interpreter("openrlhf")


@pytest.fixture(scope="session")
def nemo_rl_src() -> Path:
    """Return a checkout of NeMo-RL at its pin, which a test run may be given."""
    chosen = os.environ.get("STARFORGE_NEMO_RL_SRC")
    if not chosen:
        pytest.skip("STARFORGE_NEMO_RL_SRC names no checkout of NeMo-RL")
    assert (Path(chosen) / "nemo_rl").is_dir(), f"{chosen} is no checkout of NeMo-RL"
    return Path(chosen)


@pytest.fixture(scope="session")
def evalkit_python() -> str:
    """Return the interpreter of the benchmark runtime."""
    return interpreter("evalkit")
