import time

import pytest
from ingest_server import TAG, IngestServer
from runner_attempt import Attempt

from starforge.runner import reap


@pytest.fixture
def server():
    made = IngestServer()
    yield made
    made.close()


@pytest.fixture
def attempt(tmp_path):
    made = Attempt(tmp_path)
    yield made
    if made.runner is not None:
        made.runner.kill()
        made.runner.wait()
        made.runner.stderr.close()


@pytest.fixture
def until():
    """Wait for a condition by polling; fail after 20 seconds."""

    def wait(condition, what="condition", seconds=20.0):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"{what} did not come"
            time.sleep(0.01)

    return wait


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    assert reap.kill_tagged(TAG) == 0, "a process of the job was left behind"
