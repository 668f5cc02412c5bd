import math
import subprocess
import sys

import pytest

from starforge.errors import StarForgeError
from starforge.sweeps.search import Past, propose
from starforge.sweeps.space import Choice, Range, require_size, size, space, unseen


def value(one):
    """A smooth hill: best at lr = 1e-4, n = 3."""
    return -((math.log10(float(one["lr"])) + 4) ** 2) - (int(one["n"]) - 3) ** 2 / 4


def searched(count, *, seed, goal="max", cut=()):
    """Search; after each trial named by ``cut`` everything but the trials is forgotten."""
    found = space(["lr=1e-7..1e-1:log", "n=1..9"])
    past = []
    for number in range(count):
        if number in cut:
            past = list(past)
        sign = 1 if goal == "max" else -1
        one = propose(found, past, goal=goal, seed=seed, count=count)
        past.append(Past(one, "value", sign * value(one)))
    return past


@pytest.mark.parametrize("goal", ["max", "min"])
def test_it_comes_closer_than_its_first_draws(goal):
    past = searched(24, seed=1, goal=goal)
    sign = 1 if goal == "max" else -1
    values = [sign * one.value for one in past]
    assert max(values[6:]) > max(values[:6])
    # What is proposed is better on average, not by one lucky draw.
    assert sum(values[12:]) / 12 > sum(values[:6]) / 6
    for one in past:
        assert 1e-7 <= float(one.parameters["lr"]) <= 1e-1
        assert 1 <= int(one.parameters["n"]) <= 9


def test_the_same_trials_and_seed_give_the_same_answer():
    past = searched(10, seed=5)
    found = space(["lr=1e-7..1e-1:log", "n=1..9"])
    for number in (0, 3, 9):
        again = propose(found, past[:number], goal="max", seed=5, count=10)
        assert again == past[number].parameters
    other = propose(found, past[:9], goal="max", seed=6, count=10)
    assert other != past[9].parameters


def test_no_trial_is_proposed_twice_and_none_when_all_are_tried():
    found = space(["a=x,y", "n=1..3"])
    past = []
    for _ in range(6):
        one = propose(found, past, goal="max", seed=0, count=6)
        past.append(Past(one, "value", 0.0))
    assert len({tuple(one.parameters.items()) for one in past}) == 6
    assert propose(found, past, goal="max", seed=0, count=7) is None


def test_trials_that_run_failed_or_were_pruned_are_part_of_the_past():
    found = space(["lr=0.0..1.0"])
    past = [
        Past({"lr": "0.5"}, "running"), Past({"lr": "0.25"}, "none"),
        Past({"lr": "0.75"}, "pruned", 0.1, 4), Past({"lr": "1.0"}, "value", 0.3),
        Past({"lr": "0.0"}, "value", 0.2),
    ]  # fmt: skip
    assert 0 <= float(propose(found, past, goal="max", seed=0, count=9)["lr"]) <= 1


def test_numbers_keep_to_their_ends_whatever_their_digits():
    part = Range("1.23456789e-7", "2.5", log=True)
    assert part.text(1.2345e-7) == "1.23456789e-7"
    assert part.text(2.6) == "2.5"
    assert part.text(0.12345678) == "0.123457"
    assert Range("1", "9", log=False).text(8.7) == "9"


def test_how_many_trials_there_are():
    assert size(space(["a=x,y", "n=1..3"])) == 6
    assert size(space(["a=x,y", "n=1..3.5"])) is None
    require_size(space(["a=x,y", "n=1..3"]), 6)
    with pytest.raises(StarForgeError) as caught:
        require_size(space(["a=x,y", "n=1..3"]), 7)
    assert "(6 were found)" in caught.value.message.en


def test_what_is_left_is_found():
    import random

    part = {"a": Choice([str(number) for number in range(400)])}
    seen = [{"a": str(number)} for number in range(400) if number != 77]
    assert unseen(part, seen, random.Random(0)) == {"a": "77"}
    assert unseen(part, [*seen, {"a": "77"}], random.Random(0)) is None


def test_optuna_is_not_loaded_by_reading_a_space():
    code = "import sys, starforge.sweeps.space, starforge.sweeps.search, starforge.cli.sweep\n"
    code += "sys.exit('optuna' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
