"""The local engine against real runners: start once, observe, cancel, leave nothing."""

import fcntl
import json
import os
import signal
import time
from pathlib import Path

import pytest

from starforge import layout
from starforge.engines.base import Launch
from starforge.engines.local import LocalEngine
from starforge.engines.local.engine import ENGINE_FILE
from starforge.engines.local.processes import boot_id, is_same, start_time
from starforge.plan import LaunchPlan, Policies, Process, Resources
from starforge.runner.reap import of_tag


def launch(job_dir: Path, script: str) -> Launch:
    plan = LaunchPlan(
        method="m", framework="f", version="1", recipe_digest="", contract_digest="",
        runtime=None, files=[], config={}, differs=[], checkpoints=None, metrics=[], inputs=[],
        resources=Resources(), policies=Policies(stop_grace=0.5),
        processes=[Process(role="trainer", argv=["bash", "-c", script])],
    )  # fmt: skip
    return Launch(
        job_id=job_dir.name, attempt=0, job_dir=job_dir, plan=plan, python=None, models={},
        resume=False, server_url=None, job_token="",
    )  # fmt: skip


@pytest.fixture
def job_dir(tmp_path):
    folder = tmp_path / f"job{os.getpid()}x{time.monotonic_ns()}"
    folder.mkdir()
    yield folder
    LocalEngine().cancel(folder.name, 0, folder, force=True)
    assert not of_tag(f"{folder.name}/0")


def state(engine, job_dir):
    return engine.observe(job_dir.name, 0, job_dir).state


def until(engine, job_dir, *wanted, patience=15.0):
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        now = state(engine, job_dir)
        if now in wanted:
            return now
        time.sleep(0.02)
    raise AssertionError(f"still {now}, log: {(job_dir / 'attempt-0/runner.log').read_text()}")


def status(job_dir):
    return json.loads((job_dir / "attempt-0" / layout.STATUS).read_text())


def test_an_attempt_runs_once_however_often_it_is_submitted(job_dir):
    engine = LocalEngine()
    assert state(engine, job_dir) == "pending"
    given = launch(job_dir, "echo run >> $STARFORGE_OUTPUT_DIR/runs; sleep 0.5")
    engine.submit(given)
    assert state(engine, job_dir) == "running"
    engine.submit(given)
    LocalEngine().submit(given)  # a server that was restarted
    until(engine, job_dir, "ended")
    assert status(job_dir)["state"] == "succeeded"
    engine.submit(given)
    assert state(engine, job_dir) == "ended"
    assert (job_dir / "output" / "runs").read_text() == "run\n"


def test_a_spawn_the_server_never_wrote_down_is_not_run_twice(job_dir):
    engine = LocalEngine()
    given = launch(job_dir, "echo run >> $STARFORGE_OUTPUT_DIR/runs; sleep 1")
    engine.submit(given)
    lock = job_dir / "attempt-0" / layout.RUNNER_LOCK
    deadline = time.monotonic() + 10
    while not lock.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    (job_dir / "attempt-0" / ENGINE_FILE).unlink()  # as if killed between the two
    other = LocalEngine()
    other.submit(given)
    until(other, job_dir, "ended", "lost")
    assert status(job_dir)["state"] == "succeeded"
    assert (job_dir / "output" / "runs").read_text() == "run\n"


def test_cancel_stops_with_grace_and_force_at_once(job_dir):
    engine = LocalEngine()
    engine.submit(launch(job_dir, "trap '' TERM; (setsid sleep 60 &); sleep 60; sleep 60"))
    deadline = time.monotonic() + 10
    while len(of_tag(f"{job_dir.name}/0")) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    engine.cancel(job_dir.name, 0, job_dir)
    assert until(engine, job_dir, "ended") == "ended"
    assert status(job_dir)["reason"] == "stopped_by_user"
    assert not of_tag(f"{job_dir.name}/0")


def test_a_killed_runner_is_lost_and_its_processes_can_be_ended(job_dir):
    engine = LocalEngine()
    engine.submit(launch(job_dir, "(setsid sleep 60 &); sleep 60"))
    deadline = time.monotonic() + 10
    while len(of_tag(f"{job_dir.name}/0")) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    pid = json.loads((job_dir / "attempt-0" / ENGINE_FILE).read_text())["pid"]
    os.kill(pid, signal.SIGKILL)
    until(engine, job_dir, "lost", patience=5)
    assert of_tag(f"{job_dir.name}/0")
    engine.cancel(job_dir.name, 0, job_dir, force=True)
    assert not of_tag(f"{job_dir.name}/0")
    assert state(engine, job_dir) == "lost"


def test_a_record_of_another_boot_or_a_reused_pid_means_nothing(job_dir):
    folder = job_dir / "attempt-0"
    folder.mkdir()
    mine = {"pid": os.getpid(), "started": start_time(os.getpid()), "boot": boot_id()}
    for change, expected in (({}, "running"), ({"boot": "x"}, "lost"), ({"started": 1.0}, "lost")):
        (folder / ENGINE_FILE).write_text(json.dumps({**mine, **change}))
        assert state(LocalEngine(), job_dir) == expected
    (folder / ENGINE_FILE).unlink()
    (folder / layout.STATUS).write_text('{"state": "running"}')
    assert state(LocalEngine(), job_dir) == "lost"
    with (folder / layout.RUNNER_LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert state(LocalEngine(), job_dir) == "running"
    (folder / layout.STATUS).write_text('{"state": "succeeded"}')
    assert state(LocalEngine(), job_dir) == "ended"
    assert is_same(os.getpid(), mine["started"]) and not is_same(os.getpid(), 1.0)
