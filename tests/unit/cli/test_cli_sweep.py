"""What is wrong with a sweep is said before a server is asked."""

from __future__ import annotations

import pytest

METRIC = ("--metric", "train/loss")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--grid", "a=1", "--tpe", "2", "--space", "a=1..2"),
        ("--random", "2", "--tpe", "2", "--space", "a=1..2"),
        ("--random", "2"),
        ("--tpe", "2"),
        ("--grid", "a=1", "--space", "a=1..2"),
        ("--tpe", "0", "--space", "a=1..2"),
        ("--tpe", "x", "--space", "a=1..2"),
        ("--grid", "a=1", "--factor", "2"),
        ("--grid", "a=1", "--first-rung", "2"),
        ("--grid", "a=1", "--early-stop", "--factor", "1"),
        ("--grid", "a=1", "--jobs", "0"),
    ],
)
def test_options_that_do_not_go_together(sf, lab, arguments) -> None:
    sf("new", "own", "--method", "custom/custom")
    refused = sf("sweep", "own", *arguments, *METRIC)
    assert refused.code == 2 and "Traceback" not in refused.err
    assert not (lab.parent / "home" / "server.json").exists()


@pytest.mark.parametrize(
    ("space", "said"),
    [
        ("a", "is not NAME=VALUES"),
        ("a=2..1", "a=2..1"),
        ("a=0..1:log", "a=0..1:log"),
        ("a=1..x", "a=1..x"),
        ("a=1..2:lin", "a=1..2:lin"),
        ("a=1..3", "not 4 different draws"),
    ],
)
@pytest.mark.parametrize("how", ["--tpe", "--random"])
def test_a_space_that_can_not_be(sf, lab, how, space, said) -> None:
    sf("new", "own", "--method", "custom/custom")
    refused = sf("sweep", "own", how, "4", "--space", space, *METRIC)
    assert refused.code != 0 and said in refused.err
    assert "Traceback" not in refused.err
    assert not (lab.parent / "home" / "server.json").exists()
