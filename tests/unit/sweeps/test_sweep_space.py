import pytest

from starforge.errors import StarForgeError
from starforge.sweeps.space import draws, grid, probes, space


def test_a_grid_is_every_combination_in_order():
    assert grid(["a=1,2", "b=x"]) == [{"a": "1", "b": "x"}, {"a": "2", "b": "x"}]
    assert len(grid(["a=1,2,3", "b=4,5"])) == 6


def test_draws_are_within_bounds_seeded_and_different():
    found = space(["lr=1e-7..1e-5:log", "n=1..50", "m=2..1024:log", "mode=a,b", "x=0..1.5"])
    made = draws(found, 40, 7)
    assert made == draws(found, 40, 7) != draws(found, 40, 8)
    assert len({tuple(one.items()) for one in made}) == 40
    for one in made:
        assert 1e-7 <= float(one["lr"]) <= 1e-5
        assert 1 <= int(one["n"]) <= 50
        assert 2 <= int(one["m"]) <= 1024
        assert one["mode"] in ("a", "b")
        assert 0 <= float(one["x"]) <= 1.5
    below = sum(float(one["lr"]) < 1e-6 for one in made)
    assert 10 <= below <= 30  # even in log, where half of the range lies below 1e-6


def test_ends_are_probed_one_parameter_at_a_time():
    found = space(["lr=1..2.5", "mode=a,b"])
    assert probes(found) == [{"lr": "1"}, {"lr": "2.5"}, {"mode": "a"}, {"mode": "b"}]


@pytest.mark.parametrize(
    "text", ["a", "=1", "a=2..1", "a=0..1:log", "a=1..x", "a=1..2:lin", "a=1,,2", "a=nan..2"]
)
def test_a_space_that_is_none_is_told(text):
    with pytest.raises(StarForgeError) as caught:
        space([text])
    assert caught.value.code == "sweep/space"


def test_names_twice_too_many_and_too_few():
    for call in (
        lambda: grid(["a=1", "a=2"]),
        lambda: grid([f"{name}=" + ",".join(map(str, range(30))) for name in "ab"]),
        lambda: draws(space(["a=1,2"]), 3, 0),
    ):
        with pytest.raises(StarForgeError) as caught:
            call()
        assert caught.value.code == "sweep/space"
