"""Samples of real verl runs, of both of its trainers and of validation."""

import pytest
from trl_support import Trial, scalars
from verl_support import REWARD, SETTINGS, run

pytestmark = [pytest.mark.upstream, pytest.mark.slow, pytest.mark.timeout(1800)]
ROWS = 3


@pytest.mark.parametrize("method", ["rloo", "remax"])
def test_samples_of_training_and_validation(verl_python, tmp_path, method):
    trial = Trial(tmp_path, f"verl/{method}")
    (trial.folder / "reward.py").write_text(REWARD, "utf-8")
    trial.write_rows(trial.read_rows()[:ROWS], "validation")
    job = trial.job(*SETTINGS[method], "max_steps=1", "validation_steps=1")
    run(job, verl_python)
    series = {name: dict(points) for name, points in scalars(job).items()}
    rows = job.rows("samples/rollout.jsonl")
    count = len(rows)
    assert count == 2 * (1 if method == "remax" else 4)
    assert len({row["group"] for row in rows}) == 2
    assert all(row["rewards"] == {"plain": row["reward"]} for row in rows)
    for name, values in {
        "response_length/mean": [row["length"] for row in rows],
        "response_length/clip_ratio": [row["truncated"] for row in rows],
    }.items():
        assert sum(values) / count == pytest.approx(series[name][1], abs=1e-4), name

    checked = job.rows("samples/validation.jsonl")
    assert len(checked) == ROWS
    assert all(row["rewards"] == {"plain": row["reward"]} for row in checked)
    # The older trainer keeps no lengths of validation, and nothing is made up.
    assert [row.get("length", 0) > 0 for row in checked] == [method != "remax"] * ROWS
    assert [isinstance(row.get("truncated"), bool) for row in checked] == [method != "remax"] * ROWS
