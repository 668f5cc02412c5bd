"""The reconciler, tick by tick, with an engine that says what it is told to say."""

import json
import time
from pathlib import Path

import pytest

from starforge.engines.base import Launch, Observation
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.plan import CheckpointPlan, Policies
from starforge.server.control.reconciler import Reconciler
from starforge.server.services import jobs as job_service
from starforge.server.store import attempts, events, jobs


class ScriptedEngine:
    """Answers what the test says; remembers what it was asked."""

    name = "scripted"

    def __init__(self) -> None:
        self.state = "pending"
        self.launches: list[Launch] = []
        self.cancels: list[bool] = []
        self.refuses: Exception | None = None

    def submit(self, launch: Launch) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.launches.append(launch)
        self.state = "running"

    def observe(self, job_id: str, attempt: int, job_dir: Path) -> Observation:
        return Observation(state=self.state)

    def cancel(self, job_id: str, attempt: int, job_dir: Path, *, force: bool = False) -> None:
        self.cancels.append(force)


@pytest.fixture
def engine(core):
    core.engine = ScriptedEngine()
    return core.engine


@pytest.fixture
def reconciler(core, engine):
    made = Reconciler(core)
    yield made
    made.close()


def get(core, job):
    with core.db.read() as tx:
        return jobs.get(tx, job.id)


def write_status(core, job, state, **more):
    folder = core.settings.job_dir(job.id) / "attempt-0"
    (folder / "status.json").write_text(json.dumps({"state": state, **more}))


def tick_until(reconciler, core, job, *states):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        reconciler.tick()
        found = get(core, job)
        if found.state in states:
            return found
        time.sleep(0.01)
    raise AssertionError(f"job stays {found.state}")


def test_queued_to_succeeded(core, engine, reconciler, add_job):
    job = add_job()
    reconciler.tick()
    assert get(core, job).state == "starting"
    reconciler.tick()
    assert [launch.key for launch in engine.launches] == [f"{job.id}/0"]
    write_status(core, job, "running", started_at=5.0, progress={"step": 1, "total": 2})
    reconciler.tick()
    found = get(core, job)
    assert (found.state, found.started_at, found.progress_step) == ("running", 5.0, 1)
    engine.state = "ended"
    write_status(
        core, job, "succeeded", reason="completed", message="well", message_zh="好",
        started_at=5.0, ended_at=9.0, exit_code=0, progress={"step": 2, "total": 2},
    )  # fmt: skip
    done = tick_until(reconciler, core, job, "succeeded")
    assert (done.reason, done.message) == ("completed", Text("well", "好"))
    assert (done.ended_at, done.progress_step) == (9.0, 2)
    with core.db.read() as tx:
        assert attempts.get(tx, job.id, 0).exit_code == 0
        assert [e.kind for e in events.after(tx, job_id=job.id)][-1] == "succeeded"
    assert reconciler.tick() > 10  # at rest


def test_streams_are_whole_before_the_end_is_shown(core, engine, reconciler, add_job):
    job = add_job()
    reconciler.tick()
    reconciler.tick()
    folder = core.settings.job_dir(job.id) / "attempt-0" / "logs"
    folder.mkdir()
    (folder / "trainer-0.log").write_bytes(b"never shipped\n")
    write_status(core, job, "failed", reason="exit_code", exit_code=3)
    engine.state = "ended"
    tick_until(reconciler, core, job, "failed")
    from starforge.server.services import logs

    page = logs.page(core, get(core, job), logs.Which(), logs.Window())
    assert [line.text for line in page.lines] == ["never shipped"]


def test_lost_is_failed_unless_it_was_asked_to_stop(core, engine, reconciler, add_job):
    job = add_job()
    reconciler.tick()
    reconciler.tick()
    engine.state = "lost"
    done = tick_until(reconciler, core, job, "failed")
    assert done.reason == "runner_lost" and engine.cancels == [True]

    engine.state = "pending"
    other = add_job()
    reconciler.tick()
    reconciler.tick()
    job_service.stop(core, get(core, other), force=False)
    engine.state = "lost"
    assert tick_until(reconciler, core, other, "stopped").reason == "stopped_by_user"


class FailingEngine(ScriptedEngine):
    """Every attempt fails as soon as it starts, for the reason the test says."""

    reason = "exit_code"

    def submit(self, launch: Launch) -> None:
        folder = launch.job_dir / f"attempt-{launch.attempt}"
        folder.mkdir(exist_ok=True)
        status = {"state": "failed", "reason": self.reason, "started_at": 5.0, "ended_at": 9.0}
        (folder / "status.json").write_text(json.dumps(status))
        self.launches.append(launch)

    def observe(self, job_id: str, attempt: int, job_dir: Path) -> Observation:
        done = (job_dir / f"attempt-{attempt}" / "status.json").exists()
        return Observation(state="ended" if done else "pending")


@pytest.fixture
def failing(core, engine):
    core.engine = FailingEngine()
    return core.engine


def test_a_failed_machine_is_retried_as_often_as_allowed_and_a_failed_job_never(
    core, reconciler, failing, add_job, make_plan
):
    failing.reason = "machine_failure"
    job = add_job(make_plan(policies=Policies(retries=2)))
    done = tick_until(reconciler, core, job, "failed")
    assert (done.current_attempt, done.reason) == (2, "machine_failure")
    with core.db.read() as tx:
        kinds = [event.kind for event in events.after(tx, job_id=job.id)]
        assert kinds.count("machine_retry") == 2 and kinds.count("failed") == 3
        assert attempts.seconds(tx, job.id) == 12.0

    failing.reason = "exit_code"
    users = add_job(make_plan(policies=Policies(retries=5)))
    assert tick_until(reconciler, core, users, "failed").current_attempt == 0


@pytest.mark.parametrize("checkpoint", [True, False])
def test_a_retry_goes_on_from_the_checkpoint_if_there_is_one(
    core, reconciler, failing, add_job, *, make_plan, checkpoint
):
    pattern = "output/checkpoints/checkpoint-*"
    failing.reason = "runner_error"
    job = add_job(
        make_plan(
            policies=Policies(retries=1), checkpoints=CheckpointPlan(format="hf", pattern=pattern)
        )
    )
    output = core.settings.job_dir(job.id) / "output"
    (output / "half").write_text("x")
    if checkpoint:
        (output / "checkpoints" / "checkpoint-3").mkdir(parents=True)
    tick_until(reconciler, core, job, "failed")
    with core.db.read() as tx:
        assert [one.resume for one in attempts.of_job(tx, job.id)] == [False, checkpoint]
    assert (output / "half").exists() == checkpoint  # without one, set aside


def test_no_attempt_beyond_the_budget(core, reconciler, failing, add_job, make_plan):
    job = add_job(make_plan(policies=Policies(budget=4.0)))
    tick_until(reconciler, core, job, "failed")
    with pytest.raises(StarForgeError, match=r"policies\.budget"):
        job_service.retry(core, get(core, job))


def test_unreachable_is_never_failed(core, engine, reconciler, add_job):
    job = add_job()
    reconciler.tick()
    reconciler.tick()
    engine.state = "unreachable"
    reconciler.tick()
    assert get(core, job).state == "unreachable"
    engine.state = "running"
    write_status(core, job, "running", started_at=5.0)
    reconciler.tick()
    assert get(core, job).state == "running"


def test_a_stop_is_asked_once_then_forced_after_its_time(
    core, engine, reconciler, add_job, monkeypatch
):
    job = add_job()
    reconciler.tick()
    reconciler.tick()
    write_status(core, job, "running", started_at=5.0)
    job_service.stop(core, get(core, job), force=False)
    assert get(core, job).state == "stopping"
    for _ in range(3):
        reconciler.tick()
    assert engine.cancels == [False]
    assert get(core, job).state == "stopping"  # the runner's "running" is old news
    later = time.monotonic() + 100
    monkeypatch.setattr(time, "monotonic", lambda: later)
    reconciler.tick()
    assert engine.cancels == [False, True]


def test_a_queued_job_that_is_stopped_never_starts(core, engine, reconciler, add_job):
    job = add_job()
    job_service.stop(core, job, force=False)
    assert tick_until(reconciler, core, job, "stopped").reason == "stopped_by_user"
    assert engine.launches == []


def test_what_can_not_be_started_fails_with_its_reason(core, engine, reconciler, add_job):
    for problem, words in (
        (StarForgeError("x", Text("no runtime", "没有")), "no runtime"),
        (OSError(13, "Permission denied", "/disk"), "Permission denied (/disk)"),
    ):
        engine.refuses, engine.state = problem, "pending"
        job = add_job()
        done = tick_until(reconciler, core, job, "failed")
        assert done.reason == "launch_failed" and words in done.message.en


@pytest.mark.parametrize("desired", ["run", "stop"])
def test_a_full_disk_keeps_a_job_waiting_not_failing(core, engine, reconciler, add_job, desired):
    engine.refuses = OSError(28, "No space left on device", "/disk")
    job = add_job()
    for _ in range(3):
        reconciler.tick()
    waits = get(core, job)
    assert (waits.state, waits.reason) == ("starting", "waiting_for_room")
    assert "/disk" in waits.message.en and "空间不足" in waits.message.zh
    if desired == "stop":
        job_service.stop(core, waits, force=False)
        assert tick_until(reconciler, core, job, "stopped").reason == "stopped_by_user"
        return
    engine.refuses = None
    reconciler.tick()
    assert [launch.key for launch in engine.launches] == [f"{job.id}/0"]


def test_a_new_server_goes_on_where_the_old_one_was(core, engine, add_job):
    job = add_job()
    first = Reconciler(core)
    first.tick()
    first.close()  # between the grant and the launch
    second = Reconciler(core)
    second.tick()
    assert len(engine.launches) == 1
    second.close()
    third = Reconciler(core)
    engine.state = "ended"
    write_status(core, job, "stopped", reason="stopped_by_user")
    assert tick_until(third, core, job, "stopped").state == "stopped"
    third.close()


def test_waiting_jobs_say_why_and_get_slots_in_order(core, engine, reconciler, add_job):
    first, second = add_job(name="one"), add_job(name="two")
    third = add_job(name="three", priority=5)
    core.devices  # noqa: B018 - two CPUs by the settings of these tests
    reconciler.tick()
    states = [get(core, job).state for job in (first, second, third)]
    if core.devices.cpus == 2:
        assert states == ["starting", "queued", "starting"]
        waiting = get(core, second)
        assert waiting.reason == "waiting_for_slot" and "three" in waiting.message.en
