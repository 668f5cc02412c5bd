from concurrent.futures import Future

import pytest

from starforge.server.control import pipelining
from starforge.server.control.pipelining import IDLE, PACE, SOON, Pipelining


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
    """A clock to turn, passes that fail while there is an ``error``, and what was told."""

    class World:
        def __init__(self):
            self.now = 100.0
            self.error = None
            self.passed = []
            self.told = []

        def advance(self, _core, ident):
            self.passed.append(ident)
            if self.error:
                raise self.error

    world = World()
    monkeypatch.setattr(pipelining.time, "monotonic", lambda: world.now)
    monkeypatch.setattr(pipelining.pipeline_runs, "advance", world.advance)
    monkeypatch.setattr(
        pipelining.log, "error", lambda _text, **more: world.told.append(repr(more["exc_info"]))
    )
    return world


def test_without_pipelines_it_is_idle(world):
    assert Pipelining(None, Pool()).step([]) == IDLE
    assert world.passed == []


def test_a_pipeline_that_runs_is_looked_at_at_its_pace(world):
    one = Pipelining(None, Pool())
    assert one.step(["a"]) == SOON
    assert one.step(["a"]) == PACE
    assert world.passed == ["a"]
    world.now += PACE
    one.step(["a"])
    assert world.passed == ["a", "a"]


def test_a_failure_is_tried_ever_less_often_and_told_once(world):
    one = Pipelining(None, Pool())
    world.error = OSError("no space")
    waits = []
    one.step(["a"])
    for _ in range(7):
        wait = one.step(["a"])
        waits.append(round(wait, 3))
        world.now += wait
        one.step(["a"])
    assert waits == [1, 2, 4, 8, 16, 30, 30]
    assert world.told == ["OSError('no space')"]
    world.error = None
    world.now += one.step(["a"])
    one.step(["a"])
    assert one.step(["a"]) == PACE


def test_what_ended_is_forgotten(world):
    one = Pipelining(None, Pool())
    one.step(["a"])
    one.step(["a"])
    one.step([])
    one.step(["a"])
    assert world.passed == ["a", "a"]
