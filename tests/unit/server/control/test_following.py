from concurrent.futures import Future

import pytest

from starforge.server.control import following
from starforge.server.control.following import Following


class Pool:
    """Runs what it is given at once."""

    def submit(self, work, *args):
        done = Future()
        try:
            done.set_result(work(*args))
        except OSError as error:
            done.set_exception(error)
        return done


@pytest.fixture
def world(monkeypatch):
    """A clock to turn, a making that fails while there is an ``error``, and what was told."""

    class World:
        def __init__(self):
            self.now = 100.0
            self.error = None
            self.made = []
            self.told = []

        def make(self, _core, job_id):
            self.made.append(job_id)
            if self.error:
                raise self.error

    world = World()
    monkeypatch.setattr(following.time, "monotonic", lambda: world.now)
    monkeypatch.setattr(following.follow_ups, "make", world.make)
    monkeypatch.setattr(
        following.log, "error", lambda _text, **more: world.told.append(repr(more["exc_info"]))
    )
    return world


def test_nothing_due_is_idle(world):
    assert Following(None, Pool()).step([]) == following.IDLE
    assert world.made == []


def test_a_failure_is_tried_ever_less_often_and_told_once(world):
    jobs = Following(None, Pool())
    world.error = OSError("no space")
    waits = []
    jobs.step(["a"])
    for _ in range(9):
        wait = jobs.step(["a"])
        waits.append(round(wait, 3))
        world.now += wait
        jobs.step(["a"])
    assert waits == [1, 2, 4, 8, 16, 30, 30, 30, 30]
    assert len(world.made) == 10
    assert world.told == ["OSError('no space')"]
    world.error = OSError("no rights")
    world.now += jobs.step(["a"])
    jobs.step(["a"])
    jobs.step(["a"])
    assert world.told == ["OSError('no space')", "OSError('no rights')"]


def test_one_that_fails_does_not_hold_up_another(world):
    jobs = Following(None, Pool())
    world.error = OSError("no space")
    jobs.step(["a"])
    jobs.step(["a"])
    world.error = None
    assert jobs.step(["a", "b"]) == following.SOON
    assert world.made == ["a", "b"]


def test_what_is_no_longer_due_is_forgotten(world):
    jobs = Following(None, Pool())
    world.error = OSError("no space")
    jobs.step(["a"])
    jobs.step(["a"])
    jobs.step([])
    jobs.step(["a"])  # due again: at once, not after the pause
    assert world.made == ["a", "a"]
