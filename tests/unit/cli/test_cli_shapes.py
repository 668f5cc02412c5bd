"""Small pure parts: curves as text, numbers, the board, the watch lines."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from starforge.cli import output
from starforge.cli.board import print_board
from starforge.cli.root import take_lang
from starforge.cli.spark import plot, sparkline
from starforge.wire.board import Score

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def test_sparkline_spans_the_values_and_leaves_gaps() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█"
    assert sparkline([1.0, math.nan, 1.0, None]) == "▁ ▁ "
    assert sparkline([]) == "" == sparkline([math.inf])
    assert len(sparkline(list(range(1000)), 24)) == 24


def test_plot_has_the_limits_of_both_axes() -> None:
    lines = plot(list(range(100)), [math.sin(x / 10) for x in range(100)], width=40, height=6)
    assert len(lines) == 7
    assert lines[0].startswith("     1 ┤") or lines[0].lstrip().startswith("0.99")
    assert lines[-1].split() == ["0", "99"]
    assert plot([1, 2], [None, math.nan]) == []
    assert len(plot([5], [1.0])) == 11


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (3, "3"), (0.015694, "0.01569"), (1e-9, "1e-09"), (12345.0, "12345")],
)
def test_number(value: float | None, shown: str) -> None:
    assert output.number(value) == shown


def test_size_and_duration() -> None:
    assert [output.size(n) for n in (0, 1536, 3 << 30)] == ["0 B", "1.5 KiB", "3.0 GiB"]
    assert [output.duration(n) for n in (0.4, 65, 7620)] == ["0s", "1m 05s", "2h 07m"]


def test_json_never_holds_nan(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"a": [math.nan, 1.5, math.inf], "b": {"c": "是"}})
    shown = capsys.readouterr().out
    assert "NaN" not in shown and "Infinity" not in shown and "是" in shown


def test_take_lang() -> None:
    assert take_lang(["a", "--lang", "zh", "b"]) == ("zh", ["a", "b"])
    assert take_lang(["--lang=en"]) == ("en", [])
    assert take_lang(["--", "--lang", "zh"]) == (None, ["--", "--lang", "zh"])
    assert take_lang(["--lang", "fr"]) == (None, ["--lang", "fr"])


def score(model: str, value: float, settings: dict, **more: object) -> Score:
    fields = {
        "model": model, "job": "j", "benchmark": "gsm8k", "metric": "exact_match", "value": value,
        "stderr": 0.01, "items": 100, "settings": settings, "settings_digest": str(settings),
        "created_at": NOW,
    }  # fmt: skip
    return Score(**(fields | more))


def test_board_keeps_other_settings_apart(capsys: pytest.CaptureFixture[str]) -> None:
    same = {"few_shot": 0}
    print_board(
        [
            score("base", 0.1, same),
            score("base", 0.2, same, created_at=NOW + timedelta(hours=1)),
            score("tuned", 0.5, same),
            score("tuned", 0.7, {"few_shot": 8}, created_at=NOW - timedelta(days=1)),
        ]
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["gsm8k", "gsm8k"]
    assert lines[1].split() == ["model", "exact_match", "exact_match", "#2"]
    tuned, base = lines[2], lines[3]
    assert tuned.startswith("tuned") and "0.5 ±0.01 n=100" in tuned and "0.7" in tuned
    assert "*" in tuned.split("0.7")[0], "the best of the shared column is marked"
    assert base.startswith("base") and "0.2" in base and "0.1" not in base, "the newest counts"
    assert "few_shot 8 (0)" in lines[-1]


def test_board_says_what_was_trained_on(capsys: pytest.CaptureFixture[str]) -> None:
    seen = {"seen": 12, "items": 1319}
    print_board([score("job:a", 0.1, {}, contamination=seen),
                 score("job:b", 0.2, {}, contamination={"seen": 0, "items": 1319}),
                 score("job:c", 0.3, {}), score("org/base", 0.4, {})])  # fmt: skip
    out = capsys.readouterr().out
    assert "12 of 1319 items in the training data" in out
    assert out.count("clean") == out.count("unknown") == 1


def test_board_names_jobs_as_they_are_called(capsys: pytest.CaptureFixture[str]) -> None:
    print_board([score("job:01A", 0.1, {}, model_name="my-sft"),
                 score("job:01A@step-4", 0.2, {}, model_name="my-sft"),
                 score("job:01B", 0.3, {}, model_name="twice"),
                 score("job:01C", 0.4, {}, model_name="twice")])  # fmt: skip
    lines = capsys.readouterr().out.splitlines()[2:]
    names = {line.partition("  ")[0] for line in lines if "n=100" in line}
    assert names == {"my-sft", "my-sft@step-4", "twice (01B)", "twice (01C)"}


def test_board_shows_the_mean_and_deviation_of_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runs = {"mean": 0.4, "deviation": 0.125, "values": [0.2, 0.6, 0.4], "jobs": ["j", "k", "l"]}
    print_board([score("lucky", 0.5, {"seed": 1}),
                 score("base", 0.2, {"seed": 2}, runs=runs),
                 score("worse", 0.3, {"seed": None})])  # fmt: skip
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert "#2" not in out and "other settings" not in out, "seeds are no settings of their own"
    assert [line.split()[0] for line in lines[2:]][:4] == ["lucky", "base", "mean", "worse"]
    assert "0.4 ±0.12 n=100" in lines[3] and "mean of 3 runs" in lines[4]
    assert "0.2" not in out and "0.5 ±0.01" in lines[2] and "*" in lines[2]
    assert "deviation from run to run" in lines[-1]


def test_board_names_filters_and_shortens_folders(capsys: pytest.CaptureFixture[str]) -> None:
    last, strict = {"filter": "last-number"}, {"filter": "strict"}
    folder = "/long/way/to/base"
    print_board([score(folder, 0.1, last), score(folder, 0.2, strict), score("/a/x", 0.3, last),
                 score("/b/x", 0.4, last)])  # fmt: skip
    out = capsys.readouterr().out
    assert "exact_match (last-number)" in out and "exact_match (strict)" in out
    assert "#2" not in out and "other settings" not in out
    lines = [line.split()[0] for line in out.splitlines()[2:5]]
    assert lines == ["/b/x", "/a/x", "base"], "only clear names are shortened"


def test_a_single_model_is_not_called_the_best(capsys: pytest.CaptureFixture[str]) -> None:
    print_board([score("only", 0.5, {})])
    assert "*" not in capsys.readouterr().out


def test_lower_is_better_ranks_the_other_way(capsys: pytest.CaptureFixture[str]) -> None:
    common = {"higher_is_better": False}
    print_board([score("a", 3.0, {}, **common), score("b", 2.0, {}, **common)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("b") and "*" in lines[2] and "*" not in lines[3]


def test_differences_of_two_plans() -> None:
    from starforge.cli.plan_differences import differences

    ours = {
        "config": {"a": 1, "b": 2},
        "files": [{"path": "x.py", "sha256": "1" * 64}],
        "method": "m",
        "digest": "d1",
    }
    theirs = {
        "config": {"a": 1, "b": 3},
        "files": [{"path": "x.py", "sha256": "2" * 64}],
        "method": "n",
    }
    assert differences(ours, dict(ours)) == []
    assert differences(ours, theirs) == [
        "config b: here 2, server 3",
        "file x.py: here sha256 111111111111, server sha256 222222222222",
        "method: here m, server n",
    ]
