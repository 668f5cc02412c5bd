"""The runner as a process, with real children: how an attempt begins, and how it ends by itself."""

import json
import os
import signal
import subprocess

import pytest
from ingest_server import JOB, TAG
from runner_attempt import PYTHON, bash, summary

from starforge import layout
from starforge.streams import decode_scalars


def test_success(attempt):
    status = attempt.launch(
        bash("echo $SAID $STARFORGE_JOB $STARFORGE_TAG $STARFORGE_ROLE $STARFORGE_RANK; pwd; "
             "echo oops >&2; cat; env | grep DIR")
    ).run()  # fmt: skip
    assert summary(status) == ("succeeded", "completed", 0)
    assert status["ended_at"] >= status["started_at"]
    where = str(attempt.dir)
    assert attempt.log().splitlines()[:3] == [f"hello {JOB} {TAG} trainer 0", where, "oops"]
    assert f"STARFORGE_ATTEMPT_DIR={where}" in attempt.log()
    assert f"STARFORGE_OUTPUT_DIR={attempt.dir.parent / 'output'}" in attempt.log()
    assert decode_scalars("report", (attempt.dir / "metrics/system.jsonl").read_bytes()).series


def test_a_bad_exit_code_comes_with_the_last_lines(attempt):
    status = attempt.launch(
        bash("echo starting; echo 'ValueError: no such file' >&2; exit 3")
    ).run()
    assert summary(status) == ("failed", "exit_code", 3)
    assert "trainer-0 ended with exit code 3" in status["message"]
    assert "ValueError: no such file" in status["message"]
    assert "退出码 3" in status["message_zh"]


def test_a_job_that_says_why_it_gave_up_is_taken_at_its_word(attempt):
    status = attempt.launch(
        bash("echo warning; echo 'the model is no model' > $STARFORGE_ATTEMPT_DIR/failure.txt; "
             "echo 'error: the model is no model' >&2; exit 1")
    ).run()  # fmt: skip
    assert summary(status) == ("failed", "exit_code", 1)
    assert status["message"] == "trainer-0: the model is no model"
    assert status["message_zh"] == "trainer-0：the model is no model"


def test_a_killed_process_points_at_memory(attempt, until):
    attempt.launch(bash("echo up; exec sleep 60")).start()
    until(attempt.is_up)
    os.kill(attempt.processes()[0]["pid"], signal.SIGKILL)
    status = attempt.wait()
    assert summary(status) == ("failed", "signal", 137)
    assert "SIGKILL" in status["message"] and "memory" in status["message"]


def test_one_failing_process_ends_the_others(attempt):
    status = attempt.launch(
        bash("sleep 60"), bash("sleep 0.2; exit 4"), bash("trap '' TERM; sleep 60; sleep 60"),
        policies={"stop_grace": 0.5},
    ).run()  # fmt: skip
    assert summary(status) == ("failed", "exit_code", 4)
    assert "trainer-1" in status["message"]


def test_it_waits_for_all_of_several(attempt):
    status = attempt.launch(bash("true"), bash("sleep 0.4; echo late")).run()
    assert summary(status) == ("succeeded", "completed", 0)
    assert attempt.log(1) == "late\n"


@pytest.mark.parametrize(
    ("argv", "cwd", "says"),
    [
        (["/no/such/program"], None, "/no/such/program"),
        (["true"], "/no/such/folder", "/no/such/folder"),
    ],
)
def test_what_cannot_start(attempt, argv, cwd, says):
    attempt.launch(["sleep", "60"], argv)
    document = json.loads((attempt.dir / layout.LAUNCH).read_text())
    document["processes"][1]["cwd"] = cwd
    (attempt.dir / layout.LAUNCH).write_text(json.dumps(document))
    status = attempt.run()
    assert summary(status) == ("failed", "launch_failed", None)
    assert says in status["message"]


def test_no_launch_file(attempt):
    assert summary(attempt.run()) == ("failed", "launch_failed", None)


def test_no_folder_is_a_usage_error():
    done = subprocess.run(
        [PYTHON, "-m", "starforge.runner", "/no/such"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_a_failed_machine_is_told_from_a_failed_job(attempt):
    status = attempt.launch(bash("echo 'OSError: [Errno 116] Stale file handle'; exit 1")).run()
    assert summary(status) == ("failed", "machine_failure", 1)
    assert "not the job" in status["message"]
