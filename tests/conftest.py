"""The interpreters of the pinned runtimes; without them some tests can't run.

``make test`` builds the runtimes and sets ``STARFORGE_REQUIRE_RUNTIMES``, so that there a
missing one is a failure and not a skip.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from starforge.home import starforge_home
from starforge.runtimes import detect_device, find

# No test fails because the machine is busy.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests; order and group the others for two workers (``-n 2``)."""
    _leave_out_slow(config, items)
    # Stable: within a file, and among files of one kind, the order stays.
    items.sort(key=lambda item: _KINDS.get(_kind(item), len(_KINDS)))
    for item in items:
        # A file stays with one worker, for its servers serve all of its tests.
        group = "ray" if _kind(item) == "ray" else item.nodeid.split("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(_SLOW_SECONDS))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument and place: theirs may differ from worker to worker."""
    # A gzip file, say, holds the second it was made in; two workers then saw "other" tests.
    return argname if isinstance(val, bytes) else None


# Those of a Ray of their own take up to 11 GB each: one after another, and begun first, so that
# the other worker does all the rest meanwhile.
_KINDS = {"ray": 0, "upstream": 1, "browser": 2, "e2e": 3}
_RAY = ("test_verl_", "test_openrlhf_", "test_smoke_run", "test_smoke_methods",
        "test_rerun_exact")  # fmt: skip


def _kind(item: pytest.Item) -> str:
    room = item.path.relative_to(_TESTS).parts[0]
    return "ray" if room in ("upstream", "e2e") and item.path.name.startswith(_RAY) else room


_TESTS = Path(__file__).parent
# Two jobs of one test, a Ray of its own each, on a machine that does other things as well.
_SLOW_SECONDS = 1200


def _leave_out_slow(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow ones run when they are asked for, by the variable or by ``-m slow``."""
    if os.environ.get("STARFORGE_TEST_ALL") == "1" or "slow" in config.option.markexpr:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        left_out = set(slow)
        items[:] = [item for item in items if item not in left_out]


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
