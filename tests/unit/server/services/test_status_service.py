"""What a runner says of its attempt, and what is made of it."""

import pytest

from starforge.server.services.status import apply_status, is_news, read_progress
from starforge.server.store import attempts, events, jobs
from starforge.server.store.records import JobChange

RUNNING = {"state": "running", "started_at": 100.0, "progress": {"step": 3, "total": 9}}


@pytest.fixture
def running(core, add_job):
    job = add_job()
    with core.db.write() as tx:
        jobs.change(tx, job.id, JobChange(state="starting"))
    return job


def seen(core, job_id):
    with core.db.read() as tx:
        return jobs.summary(tx, job_id), attempts.get(tx, job_id, 0)


def test_a_live_status_is_taken_over(core, running):
    assert apply_status(core, running.id, 0, RUNNING) == "run"
    job, attempt = seen(core, running.id)
    assert (job.state, job.started_at) == ("running", 100.0)
    assert (job.progress_step, job.progress_total) == (3, 9)
    assert attempt.state == "running" and attempt.heartbeat_at
    assert not is_news(job, RUNNING)
    assert is_news(job, {**RUNNING, "progress": {"step": 4, "total": 9}})


def test_an_attempt_starts_once(core, running):
    for status in ({"state": "starting"}, RUNNING, {"state": "starting"}, RUNNING):
        assert apply_status(core, running.id, 0, status) == "run"
    job, attempt = seen(core, running.id)
    assert (job.state, attempt.state) == ("running", "running")
    with core.db.read() as tx:
        assert events.count(tx, running.id, "running") == 1


def test_an_end_is_never_taken_from_a_heartbeat(core, running):
    assert apply_status(core, running.id, 0, {"state": "succeeded"}) == "run"
    assert seen(core, running.id)[0].state == "starting"


def test_who_is_asked_to_stop_is_shown_as_stopping(core, running):
    with core.db.write() as tx:
        jobs.change(tx, running.id, JobChange(desired="stop", state="stopping"))
    assert apply_status(core, running.id, 0, RUNNING) == "stop"
    assert seen(core, running.id)[0].state == "stopping"


def test_late_news_changes_nothing(core, running):
    assert apply_status(core, running.id, 7, RUNNING) == "stop"
    with core.db.write() as tx:
        jobs.change(tx, running.id, JobChange(state="failed"))
    assert apply_status(core, running.id, 0, RUNNING) == "stop"
    assert seen(core, running.id)[0].state == "failed"


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        ({"step": 1, "total": 2}, (1, 2)),
        ({"step": 1.0, "total": None}, (1, None)),
        ({"step": -1, "total": 0}, (None, None)),
        ({"step": float("nan"), "total": float("inf")}, (None, None)),
        ({"step": True, "total": "9"}, (None, None)),
        (None, (None, None)),
        ([], (None, None)),
    ],
)
def test_progress_takes_only_what_makes_sense(progress, expected):
    assert read_progress({"progress": progress}) == expected
