"""The runner is asked to stop, or killed: nothing that belongs to the job is left behind."""

import os
import signal
import subprocess

import pytest
from ingest_server import TAG
from runner_attempt import PYTHON, bash, summary

from starforge import layout
from starforge.runner import procs, reap, shm


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop_on_request(attempt, until, number):
    attempt.launch(bash("trap 'echo saving; exit 0' TERM; echo up; while :; do sleep 0.05; done"))
    attempt.start()
    until(attempt.is_up)
    attempt.runner.send_signal(number)
    status = attempt.wait()
    assert summary(status) == ("stopped", "stopped_by_user", None)
    assert "saving" in attempt.log()


def test_who_ignores_sigterm_is_killed_after_the_grace(attempt, until):
    attempt.launch(bash("trap '' TERM; echo up; sleep 60; sleep 60"), policies={"stop_grace": 0.3})
    attempt.start()
    until(attempt.is_up)
    attempt.runner.terminate()
    assert summary(attempt.wait())[:2] == ("stopped", "stopped_by_user")


def test_a_second_request_skips_the_grace(attempt, until):
    attempt.launch(bash("trap '' TERM; echo up; sleep 60; sleep 60"), policies={"stop_grace": 60})
    attempt.start()
    until(attempt.is_up)
    attempt.runner.terminate()
    until(lambda: attempt.status()["state"] == "stopping")
    attempt.runner.terminate()
    assert summary(attempt.wait())[:2] == ("stopped", "stopped_by_user")


DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvpe("sleep", ["sleep", "60"], {"PATH": os.environ["PATH"]})
    os._exit(0)
os.wait()
time.sleep(0.1)
print("up", flush=True)
time.sleep(float(sys.argv[1]))
"""


def sleepers_below(pid):
    return procs.descendants(procs.snapshot(), [pid])


@pytest.mark.parametrize("ending", ["completes", "stopped", "killed"])
def test_a_daemon_that_hid_itself_is_not_left_behind(attempt, until, ending):
    """Forked twice, in its own session, with a clean environment."""
    seconds = "0.5" if ending == "completes" else "60"
    attempt.launch([PYTHON, "-c", DAEMON, seconds], policies={"stop_grace": 1}).start()
    until(attempt.is_up)
    below = sleepers_below(attempt.runner.pid)
    assert len(below) == 2
    if ending == "stopped":
        attempt.runner.terminate()
    if ending == "killed":
        os.kill(attempt.processes()[0]["pid"], signal.SIGKILL)
    status = attempt.wait()
    assert status["state"] == {"completes": "succeeded", "killed": "failed"}.get(ending, "stopped")
    assert not [pid for pid in below if procs.lookup(pid)]


def test_kill_9_of_the_runner_leaves_what_kill_tagged_ends(attempt, until):
    attempt.launch(bash("echo up; sleep 60 & sleep 60")).start()
    until(attempt.is_up)
    attempt.runner.kill()
    attempt.runner.wait()
    assert reap.kill_tagged(TAG, attempt_dir=attempt.dir) >= 2
    assert attempt.status()["state"] == "running"  # no record of an end: the engine calls it lost
    again = subprocess.run([PYTHON, "-m", "starforge.runner", str(attempt.dir)], check=False)
    assert again.returncode == 0
    assert attempt.status()["state"] == "running"


def test_a_second_runner_touches_nothing(attempt, until):
    attempt.launch(bash("echo up; sleep 0.7")).start()
    until(attempt.is_up)
    second = subprocess.run([PYTHON, "-m", "starforge.runner", str(attempt.dir)], check=False)
    assert second.returncode == 0
    assert attempt.log() == "up\n"
    assert summary(attempt.wait())[0] == "succeeded"
    before = (attempt.dir / layout.STATUS).read_bytes()
    subprocess.run([PYTHON, "-m", "starforge.runner", str(attempt.dir)], check=True)
    assert (attempt.dir / layout.STATUS).read_bytes() == before


@pytest.mark.skipif(not shm.PLACE.is_dir(), reason="no /dev/shm here")
def test_shared_memory_of_a_process_that_vanished_is_freed(attempt):
    path = shm.PLACE / f"sf-test-{os.getpid()}"
    code = (
        "import mmap, os, sys, time\n"
        "file = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)\n"
        "os.truncate(file, 4096)\n"
        "there = mmap.mmap(file, 4096)\n"
        "time.sleep(2)\n"
    )
    try:
        attempt.launch([PYTHON, "-c", code, str(path)])
        assert attempt.run()["state"] == "succeeded"
        assert not path.exists()
    finally:
        path.unlink(missing_ok=True)
