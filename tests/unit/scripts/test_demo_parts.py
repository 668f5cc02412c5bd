"""The parts of the demo that need neither a network nor a runtime."""

import importlib
import json
import sys
from pathlib import Path

import pytest

from starforge.lab.inputs import LocalResolver
from starforge.prepare import prepare

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
    (found,) = demo("table").pair([row("b", base), row("t", tuned)], "b", "t")
    assert found.better is better
    assert found.stderr == pytest.approx(0.03 * 2**0.5)


def test_only_equal_settings_of_the_two_jobs_make_a_pair(demo):
    board = [
        row("b", 0.1), row("t", 0.6), row("other", 0.9), row("t", 0.7, pack="2"),
        row("b", 0.0, filter="ends-with"), row("t", 0.5, filter="ends-with"),
    ]  # fmt: skip
    pairs = demo("table").pair(board, "b", "t")
    assert [(p.base["settings"]["filter"], p.tuned["value"]) for p in pairs] == [
        ("last-number", 0.6), ("ends-with", 0.5),
    ]  # fmt: skip
    assert demo("table").pair(board, "b", "gone") == []


def test_worked_answers_end_with_the_result(demo):
    worked = demo("gym_rows").worked
    assert worked("6 - 7 - 9 + 2") == "6 - 7 = -1\n-1 - 9 = -10\n-10 + 2 = -8"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_experiment_and_the_benchmark_are_valid(demo, tmp_path, dtype):
    """What the demo writes has no finding; only the model is the tiny one here."""
    text = demo("experiment").TEXT.format(model="M", dtype=dtype)
    lab = tmp_path / "lab"
    folder, pack = lab / "experiments" / "learn-sums", lab / "benchmarks" / "sums"
    for made in (folder / "data", pack):
        made.mkdir(parents=True)
    (lab / "starforge.yaml").write_text("{}")
    (folder / "experiment.yaml").write_text(text.replace("models/M", "starforge:tiny"))
    tasks = demo("make_tasks")
    for name, start in (("train", 0), ("validation", 50)):
        rows = [{"question": f"{i} + 1 =", "worked": f"{i} + 1 = {i + 1}"}
                for i in range(start, start + 20)]  # fmt: skip
        tasks._write(folder / "data" / f"{name}.jsonl", [tasks._worked(r) for r in rows])
    prepared = prepare(folder, resolver=LocalResolver(folder, lab))
    assert prepared.findings == [] and prepared.plan.total_steps == 60

    (pack / "pack.yaml").write_text(tasks.PACK.read_text("utf-8"), "utf-8")
    (pack / "test.jsonl").write_text('{"question": "1 + 1 =", "answer": "2"}\n')
    bench = lab / "experiments" / "bench"
    bench.mkdir()
    params = {"benchmarks": ["sums"], "batch_size": 25, "model_dtype": dtype}
    (bench / "experiment.yaml").write_text(
        json.dumps({"method": "evalkit/benchmark", "model": "starforge:tiny", "params": params})
    )
    prepared = prepare(bench, resolver=LocalResolver(bench, lab))
    assert prepared.findings == [] and prepared.plan is not None
