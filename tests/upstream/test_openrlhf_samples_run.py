"""Samples of a real OpenRLHF run agree with what upstream measures of the same answers."""

import pytest
from openrlhf_support import STEPS, make_job, run, scalars

pytestmark = [pytest.mark.upstream, pytest.mark.slow, pytest.mark.timeout(1800)]


def test_samples_agree_with_upstreams_metrics(openrlhf_python, tmp_path):
    job = make_job(tmp_path, "grpo")
    run(job, openrlhf_python)
    series = scalars(job)
    for step in range(1, STEPS + 1):
        rows = [row for row in job.rows("samples/rollout.jsonl") if row["s"] == step]
        assert len(rows) == 4  # two prompts with two answers each
        assert sorted(sum(row["group"] == one["group"] for row in rows) for one in rows) == [2] * 4
        assert all(row["rewards"] == {"plain": row["reward"]} for row in rows)
        for name, values in {
            "response_length_mean": [row["length"] for row in rows],
            "truncated_rate": [row["truncated"] for row in rows],
            "reward_mean": [row["reward"] for row in rows],
        }.items():
            measured = series[f"train/rollout/{name}"][step]
            assert sum(values) / 4 == pytest.approx(measured, abs=1e-4), (name, step)
