"""Calls that don't end: left where that is possible, else the process goes, with the reason."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import starforge.frameworks

DRIVERS = Path(starforge.frameworks.__file__).parent / "_drivers"
PROGRAM = """
import sys, threading
sys.path.insert(0, {drivers!r})
from pathlib import Path
import starforge.rewards.watchdog as watchdog
watchdog.GRACE = 0.5
import reward_file
function = reward_file.RewardFile(Path({file!r}))

def call():
    try:
        print(function(["p"], ["c"], {{}}))
    except reward_file.RewardError as error:
        print("RewardError", error)

if {threaded}:
    threads = [threading.Thread(target=call) for _ in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
else:
    call()
"""
SLEEP = "import time\n    time.sleep(60)"
LOOP = "while True:\n        x = 1"
REGEX = "import re\n    re.match(r'(a+)+b', 'a' * 60)"
STUBBORN = (
    "while True:\n        try:\n            x = 1\n        except BaseException:\n            pass"
)


@pytest.fixture
def ask(tmp_path):
    def ask(body: str, *, threaded: bool, limit: str = "0.3"):
        file = tmp_path / "reward.py"
        file.write_text(
            f"TIME_LIMIT = {limit}\ndef reward(prompts, completions):\n    {body}\n"
            "    return [1.0]\n"
        )
        source = PROGRAM.format(drivers=str(DRIVERS), file=str(file), threaded=threaded)
        env = {"STARFORGE_ATTEMPT_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
        return subprocess.run(
            [sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True,
            check=False, timeout=60, env=env,
        )  # fmt: skip

    return ask


@pytest.mark.parametrize("body", [SLEEP, LOOP, REGEX])
def test_a_call_of_the_main_thread_is_left(ask, tmp_path, body):
    done = ask(body, threaded=False)
    assert done.returncode == 0
    assert "RewardError reward.py took longer than 0.3 seconds" in done.stdout
    assert "in reward" in done.stdout
    assert not (tmp_path / "reward-error.txt").exists()


def test_calls_of_other_threads_are_left_at_their_next_line(ask):
    done = ask(LOOP, threaded=True)
    assert done.returncode == 0
    assert done.stdout.count("took longer than 0.3 seconds") == 2


@pytest.mark.parametrize(("body", "threaded"), [(REGEX, True), (SLEEP, True), (STUBBORN, False)])
def test_a_process_that_can_not_leave_is_killed_and_the_reason_kept(ask, tmp_path, body, threaded):
    done = ask(body, threaded=threaded)
    if done.returncode == 0:  # the signal met the handler's own line: left after all
        assert "took longer" in done.stdout
        return
    assert done.returncode == -9
    assert "error: reward.py took longer than 0.3 seconds" in done.stderr
    kept = (tmp_path / "reward-error.txt").read_text()
    assert kept == "reward.py took longer than 0.3 seconds for one call (TIME_LIMIT)"


def test_calls_in_time_are_left_alone(ask):
    done = ask("pass", threaded=True, limit="30")
    assert (done.returncode, done.stdout.count("total=1.0"), done.stderr) == (0, 2, "")
    assert "total=1.0" in ask("pass", threaded=False, limit="None").stdout


@pytest.mark.parametrize("limit", ["0", "-1", "'1'", "float('nan')", "True"])
def test_a_limit_that_is_none_is_refused(ask, limit):
    done = ask("pass", threaded=False, limit=limit)
    assert "TIME_LIMIT is" in done.stderr and "not a number of seconds above 0" in done.stderr
