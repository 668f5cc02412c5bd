"""Shared memory of killed processes is freed, unless somebody else still has it."""

import os
import signal
import subprocess
import sys
import uuid
from multiprocessing import resource_tracker, shared_memory
from pathlib import Path

import pytest

from starforge.runner import reap, shm

pytestmark = pytest.mark.skipif(not shm.PLACE.is_dir(), reason="no /dev/shm here")
MAKE = """
import sys, time
from multiprocessing import resource_tracker, shared_memory
made = shared_memory.SharedMemory(sys.argv[1], create=True, size=4096)
resource_tracker.unregister(made._name, "shared_memory")
print("made", flush=True)
time.sleep(600)
"""


@pytest.fixture
def holder():
    """A process of a job that has made a segment; both named after this test."""
    name, tag = f"sf-test-{uuid.uuid4().hex[:12]}", f"shm{os.getpid()}/0"
    process = subprocess.Popen(
        [sys.executable, "-c", MAKE, name],
        env=os.environ | {"STARFORGE_TAG": tag}, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline() == b"made\n"
    yield process, tag, shm.PLACE / name
    process.kill()
    process.wait()
    process.stdout.close()
    (shm.PLACE / name).unlink(missing_ok=True)


def test_a_killed_process_leaves_none(holder):
    process, tag, path = holder
    assert shm.mapped([process.pid]) == {path}
    assert path.exists()
    assert reap.kill_tagged(tag) >= 1  # with its resource tracker
    assert process.wait(20) == -signal.SIGKILL
    assert not path.exists()


def test_what_another_process_has_mapped_stays(holder):
    _process, tag, path = holder
    ours = shared_memory.SharedMemory(path.name)
    resource_tracker.unregister(ours._name, "shared_memory")
    try:
        assert reap.kill_tagged(tag) >= 1  # with its resource tracker
        assert path.exists()
    finally:
        ours.close()
    assert shm.remove({path}) == [path]


def test_nothing_there_is_nothing_to_remove():
    assert shm.remove({Path("/dev/shm/sf-test-none")}) == []
    assert shm.mapped([2**22 + 1]) == set()
