import time

import pytest

from starforge.server.services import pace, views
from starforge.server.services.pace import Paces
from starforge.server.services.status import apply_status
from starforge.server.store import jobs
from starforge.server.store.records import JobChange


class Clock:
    now = 50.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def go(paces, clock, steps, each=2.0, attempt=0):
    for step in steps:
        paces.saw("job", attempt, step)
        clock.now += each
    clock.now -= each


def test_the_time_left_is_the_mean_pace_times_what_is_left(clock):
    paces = Paces(clock)
    assert paces.seconds_left("job", 10) is None
    go(paces, clock, [5])
    assert paces.seconds_left("job", 10) is None  # one step tells no pace
    go(paces, clock, range(5, 9))
    assert paces.seconds_left("job", 10) == pytest.approx(4.0)
    clock.now += 1
    assert paces.seconds_left("job", 10) == pytest.approx(3.0)
    clock.now += 100
    assert paces.seconds_left("job", 10) == 0.0


def test_a_resumed_job_begins_a_new_pace(clock):
    paces = Paces(clock)
    go(paces, clock, range(1, 9), each=100.0)
    go(paces, clock, range(5, 8), each=1.0, attempt=1)
    assert paces.seconds_left("job", 10) == pytest.approx(3.0)


def test_a_step_that_goes_back_begins_a_new_pace(clock):
    paces = Paces(clock)
    go(paces, clock, [1, 2, 3, 1])
    assert paces.seconds_left("job", 10) is None


@pytest.mark.parametrize("jump", [-1e6, 1e6])
def test_the_wall_clock_may_jump(core, add_job, monkeypatch, clock, jump):
    monkeypatch.setattr("starforge.server.services.pace.PACES._clock", clock)
    job = add_job()
    with core.db.write() as tx:
        jobs.change(tx, job.id, JobChange(state="starting"))
    began = time.time()
    for step in (1, 2, 3):
        progress = {"step": step, "total": 10}
        status = {"state": "running", "started_at": began, "progress": progress}
        apply_status(core, job.id, 0, status)
        clock.now += 5
        monkeypatch.setattr(time, "time", lambda: began + jump)
    with core.db.read() as tx:
        shown = views.progress(jobs.summary(tx, job.id))
    assert shown.eta_seconds == pytest.approx(30.0)
    assert pace.PACES.seconds_left("unknown", 3) is None
