import math

import pytest

from starforge.sweeps.halving import first_rung, goes_on, step_of


def ask(value, others, **more):
    known = {"rung": 0, "first": 2, "factor": 3, "goal": "max", **more}
    return goes_on(value, others, **known)


@pytest.mark.parametrize("rung", [0, 1, 2])
def test_the_first_goes_on_and_who_comes_later_must_be_among_the_best(rung):
    assert ask(0.0, [], rung=rung)
    assert not ask(0.5, [0.6], rung=rung)
    assert ask(0.7, [0.6], rung=rung)
    # Of six, two go on.
    assert ask(0.5, [0.1, 0.2, 0.6, 0.3, 0.4], rung=rung)
    assert not ask(0.4, [0.1, 0.2, 0.6, 0.3, 0.5], rung=rung)


def test_lower_is_better_where_the_goal_is_min():
    assert ask(0.5, [0.6], goal="min")
    assert not ask(0.7, [0.6], goal="min")


def test_equal_values_go_on():
    assert ask(0.5, [0.5, 0.5])


def test_the_factor_says_how_many_go_on():
    others = [0.1, 0.2, 0.3, 0.9]
    assert not ask(0.8, others, factor=4)
    assert ask(0.8, others[1:], factor=2)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_does_not_go_on_and_stands_in_nobodys_way(value):
    assert not ask(value, [])
    assert ask(0.1, [value])


def test_rungs_lie_at_a_ninth_and_a_third():
    first = first_rung(90, 3)
    assert [step_of(rung, first, 3) for rung in range(3)] == [10, 30, 90]
    assert first_rung(2, 3) == 1
