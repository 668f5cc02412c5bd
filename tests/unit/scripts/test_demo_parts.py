"""The parts of the demo that need neither a network nor a runtime."""

import importlib
import sys
from pathlib import Path

import pytest
from models import make_model

from starforge.pipelines.examine import examine

DEMO = Path(__file__).parents[3] / "scripts" / "demo"
PARTS = ("experiment", "places", "shell", "table", "make_tasks", "gym_rows")


@pytest.fixture
def demo(monkeypatch, tmp_path):
    """Import the demo's modules with everything below a temporary folder."""
    monkeypatch.syspath_prepend(str(DEMO))
    monkeypatch.setenv("STARFORGE_DEMO", str(tmp_path))
    monkeypatch.setenv("STARFORGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STARFORGE_RUNTIMES", str(tmp_path / "runtimes"))
    monkeypatch.setitem(sys.modules, "reasoning_gym", object())
    for name in PARTS:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module
    for name in PARTS:
        sys.modules.pop(name, None)


def row(job, value, stderr=0.03, **settings):
    found = {"filter": "last-number", "pack": "1"} | settings
    return {"job": job, "benchmark": "sums", "metric": "exact_match", "value": value,
            "stderr": stderr, "items": 200, "settings": found}  # fmt: skip


@pytest.mark.parametrize(
    ("base", "tuned", "better"),
    [(0.1, 0.6, True), (0.1, 0.1, False), (0.6, 0.1, False), (0.1, 0.18, False),
     (0.1, 0.19, True)],
)  # fmt: skip
def test_better_means_more_than_twice_the_standard_error(demo, base, tuned, better):
    first, last = demo("table").scores([row("b", base), row("t", tuned)], ["b", "t"])
    assert last.better_than(first) is better
    assert last.above(first) == pytest.approx((tuned - base, 0.03 * 2**0.5))


def test_only_equal_settings_of_all_jobs_stand_side_by_side(demo):
    board = [
        row("b", 0.1), row("other", 0.9), row("t", 0.7, pack="2"), row("t", 0.6), row("g", 0.8),
    ]  # fmt: skip
    found = demo("table").scores(board, ["b", "t", "g"])
    assert [one.value for one in found] == [0.1, 0.6, 0.8]
    assert demo("table").scores(board, ["b", "gone"]) == []
    assert demo("table").scores([row("b", 0.1), row("t", 0.7, pack="2")], ["b", "t"]) == []


def test_the_table_names_what_each_step_brought(demo, capsys):
    table = demo("table")
    found = table.scores([row("b", 0.1), row("t", 0.5, stderr=0.04)], ["b", "t"])
    table.print_table(found, ["before", "after"], "sums")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:] == [["before", "0.100", "0.030"],
                         ["after", "0.500", "0.040", "+0.400", "0.050"]]  # fmt: skip


def test_worked_answers_end_with_the_result(demo):
    worked = demo("gym_rows").worked
    assert worked("6 - 7 - 9 + 2") == "\n6 - 7 = -1\n-1 - 9 = -10\n-10 + 2 = -8"
    assert worked("0 + 3 - 3") == "\n0 + 3 = 3\n3 - 3 = 0"


@pytest.fixture
def reward(demo, monkeypatch):
    """The reward function of the demo."""
    monkeypatch.syspath_prepend(str(DEMO / "texts"))
    monkeypatch.delitem(sys.modules, "reward", raising=False)
    yield demo("reward").reward
    sys.modules.pop("reward")


@pytest.mark.parametrize(
    ("completion", "parts"),
    [
        ("\n6 - 7 = -1\n-1 - 9 = -10\n-10 + 2 = -8", (1.0, 1.0)),
        (" -8", (1.0, 0.0)),
        ("\n6 - 7 = -1\n-1 - 9 = -10\n-10 + 2 = 8", (0.0, 2 / 3)),
        ("\n6 - 7 = 1\n1 - 9 = -8\n-8 + 2 = -6", (0.0, 0.0)),
        ("\n6 - 7 = -1\n-1 - 9 = -8", (1.0, 1 / 3)),
        ("\n1 + 1 = 2\n6 - 7 = -1\n-1 - 9 = -10\n-10 + 2 = -8", (1.0, 0.0)),
        ("", (0.0, 0.0)),
        (" no idea", (0.0, 0.0)),
    ],
)
def test_the_reward_counts_the_result_and_the_right_steps(reward, completion, parts):
    (found,) = reward(["Calculate 6 - 7 - 9 + 2 ="], [completion], ["-8"])
    assert (found["correct"], found["steps"]) == pytest.approx(parts)
    assert found.weights == {"correct": 1.0, "steps": 0.5}


def test_worked_answers_earn_the_whole_reward(demo, reward):
    sums = ["9 - 9 + 1", "1 - 2 - 3 - 4", "0 + 0 - 0"]
    worked = [demo("gym_rows").worked(text) for text in sums]
    found = reward([f"Calculate {text} =" for text in sums], worked, ["1", "-8", "0"])
    assert [dict(one) for one in found] == [{"correct": 1.0, "steps": 1.0}] * 3


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_pipeline_is_valid(demo, monkeypatch, tmp_path, dtype):
    """What the demo writes has no finding; only the model is a tiny one here."""
    places, experiment, tasks = demo("places"), demo("experiment"), demo("make_tasks")
    fast = dtype == "bfloat16"
    monkeypatch.setattr(experiment, "cpu_is_fast_in_bfloat16", lambda: fast)
    monkeypatch.setattr("starforge.checks.training.cpu_is_fast_in_bfloat16", lambda: fast)
    lab = places.LAB
    make_model(places.MODEL)
    (lab / "starforge.yaml").write_text("{}")
    for name in experiment.METHODS:
        experiment.write_experiment(name)
    rows = [{"question": f"{i} + 1 =", "worked": f" {i + 1}", "answer": str(i + 1)}
            for i in range(80)]  # fmt: skip
    learn, practise = (lab / "experiments" / name / "data" for name in experiment.METHODS)
    pack = lab / "benchmarks" / "sums"
    for folder in (learn, practise, pack):
        folder.mkdir(parents=True)
    tasks._write(learn / "train.jsonl", [tasks._worked(one) for one in rows[:60]])
    tasks._write(learn / "validation.jsonl", [tasks._worked(one) for one in rows[60:]])
    tasks._write(practise / "train.jsonl", [tasks._asked(one) for one in rows[:60]])
    tasks._write(pack / "test.jsonl", [tasks._asked(one) | {"question": "?"} for one in rows])
    (pack / "pack.yaml").write_text(tasks.PACK.read_text("utf-8"), "utf-8")
    experiment.make_pipeline()
    found = examine(lab / "pipelines" / "sums" / "pipeline.yaml", tmp_path / "work")
    assert [one.code for one in found.findings if one.severity != "info"] == []
    assert found.ok
    assert list(found.order) == ["base", "learn", "after-sft", "practise", "after-grpo"]
