"""How a comparison reads."""

import pytest

from starforge.cli.bench_compare import _show
from starforge.wire.compare import Compared, Comparison

SIDES = {
    "a": {"model": "base", "job": "aaa", "value": 0.25},
    "b": {"model": "tuned", "job": "bbb", "value": 0.75},
}


def comparison(**changes: object) -> Comparison:
    fields = {
        "benchmark": "gsm8k", "metric": "exact_match", **SIDES, "items": 40, "difference": 0.5,
        "stderr": 0.0877, "low": 0.325, "high": 0.675, "level": 0.95, "rounds": 10_000, "seed": 0,
        "counts": {"both": 8, "only_a": 2, "only_b": 22, "neither": 8}, "p_value": 3.6e-05,
    }  # fmt: skip
    return Comparison.model_validate(fields | changes)


def shown(capsys: pytest.CaptureFixture[str], *which: Comparison, left_out: tuple = ()) -> str:
    _show(Compared(comparisons=list(which), left_out=list(left_out)))
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_counts_interval_and_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, comparison(missing_a=3), left_out=("ifeval",))
    lines = {line.rsplit("  ", 1)[0].strip(): line.rsplit("  ", 1)[1] for line in
             out.splitlines() if "  " in line}  # fmt: skip
    assert lines["both right"] == "8" and lines["only A"] == "2" and lines["only B"] == "22"
    assert lines["B - A"] == "+0.5 ±0.088" and lines["McNemar p"] == "3.6e-05"
    assert lines["items"] == "40, 3 only in B" and lines["interval"].startswith("0.325 … 0.675")
    assert "B is better" in out and "ifeval" in out


def test_seeds_of_sampled_answers_and_what_was_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sides = {"a": SIDES["a"] | {"seed": 1}, "b": SIDES["b"] | {"seed": 2}}
    other = {"benchmark": "ifeval", "code": "compare/settings",
             "message": {"en": "ifeval: limit 1 / 2", "zh": "-"}}  # fmt: skip
    _show(Compared.model_validate({"comparisons": [comparison(**sides)], "refused": [other]}))
    captured = capsys.readouterr()
    assert "(aaa, seed 1)" in captured.out and "(bbb, seed 2)" in captured.out
    assert "ifeval: limit 1 / 2" in captured.out + captured.err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"low": -0.1}, "may be chance"),
        ({"p_value": 0.2}, "may be chance"),
        ({"counts": None, "p_value": None}, "B is better"),
        ({"higher_is_better": False}, "A is better"),
        ({"low": None, "high": None, "stderr": None}, "one item"),
    ],
)
def test_the_verdict(capsys: pytest.CaptureFixture[str], changes: dict, said: str) -> None:
    out = shown(capsys, comparison(**changes))
    assert said in out and "None" not in out and "False" not in out


def test_flips_are_shown_without_what_steers_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    flip = {
        "item": "d1", "outcome": "only_b", "prompt": "x" * 5000 + "?", "reference": "7",
        "a": {"completion": "six\x1b[2J", "extracted": "6", "score": 0.0},
        "b": {"completion": "7", "extracted": "7", "score": 1.0},
    }  # fmt: skip
    out = shown(capsys, comparison(flipped=1, flips=[flip]))
    assert "\x1b" not in out and "-> 6" in out and "[1] 7\n" in out and "?" in out
    assert len(out) < 2000
    assert "limit 3 / None" in shown(capsys, comparison(differs={"limit": [3, None]}))
