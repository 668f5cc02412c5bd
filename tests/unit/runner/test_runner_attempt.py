"""The runner as a process, with real children: every way an attempt can end."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from ingest_server import JOB, TAG

from starforge import layout
from starforge.runner import procs, reap, shm
from starforge.streams import decode_scalars

PYTHON = sys.executable


class Attempt:
    """An attempt folder and, once started, its runner."""

    def __init__(self, folder):
        self.dir = folder / "job" / "attempt-0"
        self.dir.mkdir(parents=True)
        self.runner = None

    def launch(self, *argvs, policies=None, **more):
        processes = [
            {"role": "trainer", "rank": rank, "argv": argv, "env": {"SAID": "hello"}, "cwd": None}
            for rank, argv in enumerate(argvs)
        ]
        document = {
            "job": JOB, "attempt": 0, "server": None, "token": "secret", "streams": [],
            "processes": processes, "policies": {"stop_grace": 5, **(policies or {})}, **more,
        }  # fmt: skip
        (self.dir / layout.LAUNCH).write_text(json.dumps(document))
        return self

    def start(self):
        self.runner = subprocess.Popen(
            [PYTHON, "-m", "starforge.runner", str(self.dir)], stderr=subprocess.PIPE, text=True
        )
        return self

    def wait(self):
        assert self.runner.wait(30) == 0, self.runner.stderr.read()
        return self.status()

    def run(self):
        return self.start().wait()

    def status(self):
        try:
            return json.loads((self.dir / layout.STATUS).read_text())
        except FileNotFoundError:
            return {"state": None}

    def log(self, rank=0):
        try:
            return (self.dir / f"logs/trainer-{rank}.log").read_text()
        except FileNotFoundError:
            return ""

    def is_up(self):
        return "up" in self.log() and self.status()["state"] == "running"

    def processes(self):
        return json.loads((self.dir / layout.PROCESSES).read_text())


@pytest.fixture
def attempt(tmp_path):
    made = Attempt(tmp_path)
    yield made
    if made.runner is not None:
        made.runner.kill()
        made.runner.wait()
        made.runner.stderr.close()


def bash(script):
    return ["bash", "-c", script]


def summary(status):
    return status["state"], status["reason"], status["exit_code"]


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


def test_a_killed_process_points_at_memory(attempt, until):
    attempt.launch(bash("echo up; exec sleep 60")).start()
    until(attempt.is_up)
    os.kill(attempt.processes()[0]["pid"], signal.SIGKILL)
    status = attempt.wait()
    assert summary(status) == ("failed", "signal", 137)
    assert "SIGKILL" in status["message"] and "memory" in status["message"]


def test_one_failing_process_ends_the_others(attempt):
    began = time.monotonic()
    status = attempt.launch(
        bash("sleep 60"), bash("sleep 0.2; exit 4"), bash("trap '' TERM; sleep 60; sleep 60"),
        policies={"stop_grace": 0.5},
    ).run()  # fmt: skip
    assert summary(status) == ("failed", "exit_code", 4)
    assert "trainer-1" in status["message"]
    assert time.monotonic() - began < 20


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


def test_a_failed_machine_is_told_from_a_failed_job(attempt):
    status = attempt.launch(bash("echo 'OSError: [Errno 116] Stale file handle'; exit 1")).run()
    assert summary(status) == ("failed", "machine_failure", 1)
    assert "not the job" in status["message"]


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


def test_progress_shows_in_the_status(attempt, until):
    attempt.launch(
        [PYTHON, "-c", "import time; from starforge import report\n"
         "report.init(total_steps=4)\nfor s in range(4): report.log({'loss': 1.0})\n"
         "time.sleep(2)"]
    ).start()  # fmt: skip
    until(lambda: attempt.status().get("progress") == {"step": 4, "total": 4})
    assert attempt.status()["state"] == "running"
    assert attempt.wait()["state"] == "succeeded"


def test_everything_is_shipped_before_the_end_is_written(attempt, server):
    script = "for i in 1 2 3; do echo line $i; done; " + NAN.replace("NaN", "1")
    status = attempt.launch(bash(script), server=server.url).run()
    assert status["state"] == "succeeded"
    assert server.streams["logs/trainer-0.log"] == b"line 1\nline 2\nline 3\n"
    assert b'"s":7' in server.streams["metrics/a.jsonl"]
    assert server.streams["metrics/system.jsonl"].count(b"\n") >= 1
    states = [beat["state"] for beat in server.heartbeats]
    assert states[-1] == "succeeded"
    assert set(states) <= {"starting", "running", "succeeded"}


def test_the_server_can_ask_to_stop(attempt, server, until):
    attempt.launch(bash("echo up; exec sleep 60"), server=server.url).start()
    until(attempt.is_up)
    server.desired = "stop"
    assert summary(attempt.wait())[:2] == ("stopped", "stopped_by_user")


def test_the_server_goes_away_and_comes_back(attempt, server, until):
    from ingest_server import IngestServer

    attempt.launch(
        bash("for i in $(seq 60); do echo line $i; sleep 0.05; done"), server=server.url
    ).start()
    until(lambda: server.streams.get("logs/trainer-0.log"))
    server.close()
    until(lambda: "line 45" in attempt.log())
    assert attempt.status()["state"] == "running"
    back = IngestServer(server.port)
    back.streams = server.streams
    try:
        assert attempt.wait()["state"] == "succeeded"
        lines = back.streams["logs/trainer-0.log"].decode().splitlines()
        assert lines == [f"line {n}" for n in range(1, 61)]
        assert back.heartbeats[-1]["state"] == "succeeded"
    finally:
        back.close()


def test_a_server_that_never_comes_back_does_not_hold_the_end(attempt):
    began = time.monotonic()
    status = attempt.launch(
        bash("echo hi"), server="http://127.0.0.1:9", ship_timeout=0.5
    ).run()  # fmt: skip
    assert status["state"] == "succeeded"
    assert 0.5 <= time.monotonic() - began < 15
    assert "stays in the folder" in (attempt.dir / layout.RUNNER_LOG).read_text()


def test_a_stop_while_shipping_cuts_it_short(attempt, until):
    attempt.launch(bash("echo hi"), server="http://127.0.0.1:9", ship_timeout=600).start()
    until((attempt.dir / "metrics/system.jsonl").exists, "the last sample")
    attempt.runner.terminate()
    assert summary(attempt.wait()) == ("succeeded", "completed", 0)


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
