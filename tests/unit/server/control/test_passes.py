"""Passes over pipelines, sweeps and follow-ups: at a pace, and ever less often when they fail."""

from concurrent.futures import Future

import pytest

from starforge.server.control import passes
from starforge.server.control.passes import IDLE, PACE, SOON, Passes


class Pool:
    """Runs what it is given at once."""

    def submit(self, work, *args):
        done = Future()
        try:
            done.set_result(work(*args))
        except OSError as error:
            done.set_exception(error)
        return done


class Slow:
    """Runs nothing until it is told to."""

    def __init__(self):
        self.given = []

    def submit(self, work, *args):
        self.given.append(Future())
        return self.given[-1]


@pytest.fixture
def world(monkeypatch):
    """A clock to turn, passes that fail while there is an ``error``, and what was told."""

    class World:
        def __init__(self):
            self.now = 100.0
            self.error = None
            self.passed = []
            self.told = []

        def passes(self, **how):
            return Passes(Pool(), self.advance, "pipeline", **how)

        def advance(self, ident):
            self.passed.append(ident)
            if self.error:
                raise self.error

    world = World()
    monkeypatch.setattr(passes.time, "monotonic", lambda: world.now)
    monkeypatch.setattr(
        passes.log, "error", lambda _text, **more: world.told.append(repr(more["exc_info"]))
    )
    return world


def test_with_nothing_to_do_it_is_idle(world):
    assert world.passes().step([]) == IDLE
    assert world.passed == []


def test_what_runs_is_looked_at_at_its_pace(world):
    one = world.passes()
    assert one.step(["a"]) == SOON
    assert one.step(["a"]) == PACE
    assert world.passed == ["a"]
    world.now += PACE
    one.step(["a"])
    assert world.passed == ["a", "a"]


def test_without_a_pace_it_is_looked_at_again_at_once(world):
    one = world.passes(pace=0.0)
    assert [one.step(["a"]), one.step(["a"])] == [SOON, SOON]
    assert world.passed == ["a", "a"]


def test_a_pass_that_runs_is_not_started_twice():
    pool = Slow()
    one = Passes(pool, print, "pipeline")
    assert [one.step(["a"]) for _ in range(3)] == [SOON] * 3
    assert len(pool.given) == 1


def test_a_failure_is_tried_ever_less_often_and_told_once(world):
    one = world.passes()
    world.error = OSError("no space")
    waits = []
    one.step(["a"])
    for _ in range(9):
        wait = one.step(["a"])
        waits.append(round(wait, 3))
        world.now += wait
        one.step(["a"])
    assert waits == [1, 2, 4, 8, 16, 30, 30, 30, 30]
    assert len(world.passed) == 10
    assert world.told == ["OSError('no space')"]
    world.error = OSError("no rights")
    world.now += one.step(["a"])
    one.step(["a"])
    one.step(["a"])
    assert world.told == ["OSError('no space')", "OSError('no rights')"]
    world.error = None
    world.now += one.step(["a"])
    one.step(["a"])
    assert one.step(["a"]) == PACE
    world.error = OSError("no rights")
    world.now += PACE
    one.step(["a"])
    assert one.step(["a"]) == 1  # it begins anew, and is told anew
    assert len(world.told) == 3


def test_one_that_fails_does_not_hold_up_another(world):
    one = world.passes()
    world.error = OSError("no space")
    one.step(["a"])
    one.step(["a"])
    world.error = None
    assert one.step(["a", "b"]) == SOON
    assert world.passed == ["a", "b"]


def test_what_is_no_longer_to_be_done_is_forgotten(world):
    one = world.passes()
    world.error = OSError("no space")
    one.step(["a"])
    one.step(["a"])
    one.step([])
    one.step(["a"])  # to be done again: at once, not after the pause
    assert world.passed == ["a", "a"]
