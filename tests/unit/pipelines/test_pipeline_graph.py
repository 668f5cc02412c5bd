"""The order of stages, and the circles in it."""

from starforge.pipelines.gates import parse_gate
from starforge.pipelines.graph import find_cycle, needs_of, order
from starforge.pipelines.model import Result, Stage


def stages(**needs):
    return {name: Stage(name=name, experiment=name, needs=list(of)) for name, of in needs.items()}


def test_a_stage_waits_for_all_it_names_each_once():
    stage = Stage(
        name="s",
        needs=["a", "b"],
        results={"model": Result(stage="b", key="init_from"),
                 "data.train": Result(stage="c", key="data_from.train", path="x")},
        gates=[parse_gate("p.m >= 1"), parse_gate("p.m >= d + 2se")],
    )  # fmt: skip
    assert needs_of(stage) == ["a", "b", "c", "d"]


def test_each_comes_after_those_it_waits_for():
    assert order(stages(d="bc", b="a", c="a", a="")) == ["a", "b", "c", "d"]


def test_a_circle_is_found_with_its_path_not_what_only_waits_for_it():
    given = stages(a="", b="ad", c="b", d="c", e="d")
    assert order(given) == ["a"]
    assert find_cycle(given) == ["b", "d", "c", "b"]
    assert find_cycle(stages(a="a")) == ["a", "a"]
    assert find_cycle(stages(a="", b="a")) == []


def test_stages_that_are_not_there_do_not_hold_up_the_order():
    assert order(stages(a="x", b="a")) == ["a", "b"]
