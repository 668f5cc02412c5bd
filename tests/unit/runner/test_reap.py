import os
import signal
import subprocess
import sys

import pytest

from starforge import layout
from starforge.runner import procs, reap
from starforge.runner.files import write_json

SLEEP = "import time; print('up', flush=True); time.sleep(60)"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEP
TAG = f"reap{os.getpid()}/0"


def start(code=SLEEP, env=None, **more):
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
        env={"PATH": os.environ["PATH"], **(env or {})}, **more,
    )  # fmt: skip
    assert child.stdout.readline() == "up\n"
    return child


@pytest.fixture
def tagged():
    made = []

    def make(code=SLEEP, env=None, **more):
        made.append(start(code, {layout.ENV_TAG: TAG, **(env or {})}, **more))
        return made[-1]

    yield make
    for child in made:
        child.kill()
        child.wait()
        child.stdout.close()


def test_only_the_tagged_are_ended(tagged):
    mine, other = tagged(), tagged(env={layout.ENV_TAG: f"{TAG}1"})
    assert reap.kill_tagged(TAG) == 1
    assert mine.wait(5) == -signal.SIGKILL
    assert other.poll() is None


def test_grace_lets_them_end_themselves(tagged):
    child = tagged("import signal,sys; signal.signal(15, lambda *_: sys.exit(7)); " + SLEEP)
    reap.kill_tagged(TAG, grace=10)
    assert child.wait(5) == 7


def test_who_ignores_sigterm_is_killed(tagged):
    child = tagged(DEAF)
    assert reap.kill_tagged(TAG, grace=0.3) == 1
    assert child.wait(5) == -signal.SIGKILL


def test_descendants_without_the_tag_are_found(tagged):
    parent = tagged(
        "import subprocess,sys\n"
        f"argv = [sys.executable, '-c', {SLEEP!r}]\n"
        "c = subprocess.Popen(argv, env={}, start_new_session=True)\n"
        "import time; time.sleep(60)"
    )  # the child's own line says that it is up
    table = procs.snapshot()
    (child,) = procs.descendants(table, [parent.pid])
    assert reap.kill_tagged(TAG) == 2
    assert procs.lookup(child) is None or procs.lookup(child).zombie


def test_processes_json_finds_sessions_whose_leader_is_gone(tmp_path):
    leader = subprocess.Popen(
        ["/bin/sh", "-c", "env -i sleep 60 & echo $!"],
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    ticks = procs.lookup(leader.pid).started
    orphan = int(leader.stdout.readline())
    leader.wait()
    leader.stdout.close()
    write_json(tmp_path / layout.PROCESSES, [{"pid": leader.pid, "start_ticks": ticks}])
    assert reap.kill_tagged("no-such/0") == 0
    assert procs.lookup(orphan) is not None
    assert reap.kill_tagged("no-such/0", attempt_dir=tmp_path) == 1


def test_a_pid_that_came_back_is_left_alone(tagged, tmp_path):
    stranger = tagged(env={layout.ENV_TAG: "other/0"}, start_new_session=True)
    ticks = procs.lookup(stranger.pid).started
    write_json(tmp_path / layout.PROCESSES, [{"pid": stranger.pid, "start_ticks": ticks - 1}])
    assert reap.kill_tagged("no-such/0", attempt_dir=tmp_path) == 0
    assert stranger.poll() is None


def test_broken_processes_json_is_no_trouble(tmp_path):
    (tmp_path / layout.PROCESSES).write_text("[{")
    assert reap.read_roots(tmp_path) == []
    assert reap.read_roots(tmp_path / "none") == []


def test_this_process_sees_itself():
    me = procs.lookup(os.getpid())
    assert me.parent == os.getppid()
    assert me.memory > 1_000_000
    assert not me.zombie
    assert procs.lookup(2**22 + 1) is None
