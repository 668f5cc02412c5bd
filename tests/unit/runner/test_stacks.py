import os
import signal
import subprocess
import sys

import pytest

from starforge import layout, stacks
from starforge.runner import procs
from starforge.runner import stacks as asking

SAY = "print('up', flush=True); import time; time.sleep(60)"


@pytest.fixture
def start(tmp_path):
    """Start a Python process that looks like one of a job."""
    started = []

    def go(code, **env):
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
            env={layout.ENV_ATTEMPT_DIR: str(tmp_path), "PYTHONPATH": ":".join(sys.path), **env},
        )  # fmt: skip
        started.append(process)
        assert process.stdout.readline() == "up\n"
        return process

    (tmp_path / "logs").mkdir()
    yield go
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def dumped(folder, *processes):
    asking.dump(folder, [procs.lookup(p.pid) for p in processes], "because")
    return (folder / asking.FILE).read_text()


IN_A_JOB = {layout.ENV_TAG: "elsewhere/0"}
ENABLED = "from starforge import stacks\nassert stacks.enable() and stacks.enable()\n"


def test_a_process_that_registered_answers_and_lives_on(start, tmp_path):
    process = start(f"{ENABLED}def here(): {SAY}\nhere()", **IN_A_JOB)
    text = dumped(tmp_path, process)
    assert "in here" in text and "because" in text and f"process {process.pid} " in text
    assert process.poll() is None
    assert dumped(tmp_path, process).count("in here") == 2  # each time only what is new


def test_a_process_without_a_handler_is_left_alone(start, tmp_path):
    process = start(SAY)
    (tmp_path / layout.STACKS).mkdir()
    (tmp_path / layout.STACKS / f"{process.pid}.txt").touch()  # of an earlier one of its pid
    text = dumped(tmp_path, process)
    assert "Python stacks" not in text and "thread" in text and "time.sleep" in text
    assert process.poll() is None


def test_a_forked_child_answers_for_itself(start, tmp_path):
    code = f"{ENABLED}import os\nif os.fork():\n    os.wait()\ndef child(): {SAY}\nchild()"
    parent = start(code, **IN_A_JOB)
    (child,) = procs.descendants(procs.snapshot(), [parent.pid])
    asking.dump(tmp_path, [procs.lookup(child)], "because")
    assert "in child" in (tmp_path / asking.FILE).read_text()
    assert (tmp_path / layout.STACKS / f"{child}.txt").exists()
    os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize(
    "code",
    [
        "import signal; signal.signal(signal.SIGUSR2, lambda *_: None)\n"
        "from starforge import stacks; assert not stacks.enable()\n",
        "import os; del os.environ['STARFORGE_TAG']\n"
        "from starforge import stacks; assert not stacks.enable()\n",
    ],
    ids=["has its own handler", "is in no job"],
)
def test_who_does_not_register(start, tmp_path, code):
    start(code + SAY, **IN_A_JOB)
    assert not (tmp_path / layout.STACKS).exists()


def test_outside_of_a_job_this_process_is_left_alone(monkeypatch):
    monkeypatch.delenv(layout.ENV_TAG, raising=False)
    assert stacks.enable() is False


def test_a_process_that_is_gone_is_described_as_gone(start, tmp_path):
    process = start(SAY)
    seen = procs.lookup(process.pid)
    process.kill()
    process.wait()
    asking.dump(tmp_path, [seen], "because")
    assert "state gone" in (tmp_path / asking.FILE).read_text()
