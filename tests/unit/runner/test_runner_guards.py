"""The runner ends jobs that go over a limit, stall, or learn nothing."""

import json
import subprocess

import pytest
from runner_attempt import PYTHON, bash, summary

from starforge import layout


def test_the_time_limit(attempt):
    status = attempt.launch(bash("sleep 60"), policies={"time_limit": 0.5}).run()
    assert summary(status) == ("failed", "time_limit", None)


def test_the_budget_of_all_attempts(attempt):
    status = attempt.launch(["sleep", "60"], policies={"budget": 0.5, "time_limit": 50}).run()
    assert summary(status)[:2] == ("stopped", "budget")


def test_a_job_without_anything_to_learn_from_is_ended(attempt):
    script = (
        "import time\nfrom starforge import report\n"
        "for s in range(40): report.log({'train/reward_std': 0.0, 'train/grad_norm': 0.0})\n"
        "time.sleep(60)"
    )
    status = attempt.launch([PYTHON, "-c", script], policies={"no_signal": 5}).run()
    assert summary(status)[:2] == ("failed", "no_signal")
    (alert,) = (attempt.dir / layout.ALERTS).read_text().splitlines()
    assert json.loads(alert)["code"] == "no_signal"


def test_it_stops_before_the_disk_is_full(attempt):
    status = attempt.launch(bash("sleep 60"), policies={"disk_reserve": 1e18}).run()
    assert summary(status) == ("stopped", "disk_full", None)
    assert str(attempt.dir) in status["message"] and "disk_reserve" in status["message"]
    assert "磁盘将满" in status["message_zh"]


def test_a_failure_on_a_full_disk_is_laid_to_the_disk(attempt):
    status = attempt.launch(bash("echo no room >&2; exit 3"), policies={"disk_reserve": 1e18}).run()
    assert summary(status) == ("stopped", "disk_full", None)
    assert "exit code 3" in status["message"] and "no room" in status["message"]


def test_the_disk_may_fill_up_where_the_policy_is_off(attempt):
    off = {"disk_full": False, "disk_reserve": 1e18}
    assert summary(attempt.launch(bash("sleep 1.5"), policies=off).run())[1] == "completed"


HANG = """
import threading
from starforge import report
report.log({"a": 1})
def hanging_in_a_thread(): threading.Event().wait()
threading.Thread(target=hanging_in_a_thread, daemon=True).start()
print("up", flush=True)
def hanging_at_the_top(): threading.Event().wait()
hanging_at_the_top()
"""


def test_a_stalled_job_is_ended_with_the_stacks_of_all_its_processes(attempt):
    # One answers with Python's stacks; one would be killed by the signal, and one ignores it.
    script = "sleep 61 & trap '' USR2; sleep 62"
    status = attempt.launch([PYTHON, "-c", HANG], bash(script), policies={"stalled": 2}).run()
    assert summary(status) == ("failed", "stalled", None)
    assert "logs/stacks-0.log" in status["message"] and "没有任何进展" in status["message_zh"]
    text = (attempt.dir / "logs/stacks-0.log").read_text()
    assert "in hanging_at_the_top" in text and "in hanging_in_a_thread" in text
    assert "sleep 61" in text and "sleep 62" in text and "no progress" in text
    assert text.count("Python stacks") == 1
    said = (attempt.dir / layout.RUNNER_LOG).read_text()
    assert "could not be written" not in said
    assert not (attempt.dir / layout.STACKS).exists()


def test_a_job_that_says_something_is_not_stalled(attempt):
    script = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done"
    status = attempt.launch(bash(script), policies={"stalled": 2}).run()
    assert summary(status) == ("succeeded", "completed", 0)


JUMPING = """
import sys, time
from starforge.runner.main import main
real, calls = time.time, iter(range(10**9))
time.time = lambda: real() + (-1) ** next(calls) * 1e6
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("limit", [0.7, 1000])
def test_a_jumping_wall_clock_changes_nothing(attempt, limit):
    attempt.launch(bash("for i in 1 2 3 4; do echo $i; sleep 0.5; done"),
                   policies={"time_limit": limit, "stalled": 300})  # fmt: skip
    command = [PYTHON, "-c", JUMPING, str(attempt.dir)]
    attempt.runner = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    status = attempt.wait()
    expected = ("succeeded", "completed", 0) if limit > 1 else ("failed", "time_limit", None)
    assert summary(status) == expected
    assert status["ended_at"] >= status["started_at"]


NAN = 'echo \'{"t":1,"s":7,"v":{"loss":NaN}}\' >> metrics/a.jsonl; '


@pytest.mark.parametrize("rest", ["sleep 60", "exit 0"])
def test_a_nan_loss_fails_the_job_even_if_it_ends_well(attempt, rest):
    status = attempt.launch(bash(NAN + rest)).run()
    assert summary(status) == ("failed", "nan_loss", None)
    assert "step 7" in status["message"]


def test_a_nan_is_allowed_when_asked(attempt):
    status = attempt.launch(bash(NAN + "exit 0"), policies={"nan_loss": False}).run()
    assert summary(status)[:2] == ("succeeded", "completed")
