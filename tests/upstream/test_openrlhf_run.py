"""OpenRLHF's own entries really run on the tiny model: training, kill, resume, export."""

import json
import math
import shutil
import subprocess
from pathlib import Path

import pytest
from openrlhf_support import (
    KILL_AT,
    ONLINE,
    RATE,
    RL,
    STEPS,
    kept,
    make_job,
    parts,
    run,
    run_any,
    run_until,
    scalars,
)
from trl_support import TINY, Trial
from verl_support import left_outside

from starforge.catalog.load import load_catalog
from starforge.server.services.exports import as_model

# A busy machine takes several times as long as a quiet one.
pytestmark = [pytest.mark.upstream, pytest.mark.timeout(1800)]
USE = """
import sys, torch
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
folder, scores = sys.argv[1], sys.argv[2] == "rm"
kind = AutoModelForSequenceClassification if scores else AutoModelForCausalLM
more = {"num_labels": 1} if scores else {}
model, seen = kind.from_pretrained(folder, output_loading_info=True, **more)
assert not seen["missing_keys"] and not seen["unexpected_keys"], seen
inputs = AutoTokenizer.from_pretrained(folder)("1 + 1 =", return_tensors="pt")
if scores:
    model.config.pad_token_id = 0
    print("used", int(torch.isfinite(model(**inputs).logits).all()))
else:
    made = model.generate(**inputs, max_new_tokens=4, min_new_tokens=4, do_sample=False)
    print("used", made.shape[1] - inputs["input_ids"].shape[1])
"""


def uses(python, method, folder):
    """Say whether transformers loads a model folder, whole, and generates or scores with it."""
    done = subprocess.run(
        [python, "-c", USE, str(folder), method],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip() == ("used 1" if method == "rm" else "used 4")


def killed_and_resumed(tmp_path, method, python, *more):
    """Kill a job, resume it, check what must go on; return it and the step it resumed from."""
    job = make_job(tmp_path, method, *more)
    run_until(job, python, KILL_AT)
    assert left_outside(job) == []
    said = run(job, python, attempt=1, resume=True)
    found = int(said.partition("resuming from global_step")[2].split()[0])
    assert KILL_AT <= found < STEPS
    rate = RATE.get(method, "train/lr")
    before, after = scalars(job, 0)[rate], scalars(job, 1)[rate]
    assert list(after) == list(range(found + 1, STEPS + 1))
    rates = before | after
    full = rates[1] / (0.5 * (1 + math.cos(math.pi / STEPS)))
    for step, value in rates.items():
        cosine = full * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        assert value == pytest.approx(cosine, abs=full * 1e-4), step
    # Of the two to keep, the newest; those of the first attempt went behind them.
    for names in kept(job):
        assert names == [f"global_step{STEPS - 1}", f"global_step{STEPS}"]
    assert uses(python, method, job.folder / "output" / "model")
    assert left_outside(job, 1) == []
    return job, found


def primary(method, job):
    """Check that every primary curve of a method is there, whole and finite."""
    series = [scalars(job, attempt) for attempt in (0, 1)]
    for metric in load_catalog().recipe(f"openrlhf/{method}").metrics:
        if metric.primary and not metric.name.startswith("validation/"):
            points = {}
            for one in series:
                points |= next(one[name] for name in metric.native if name in one)
            assert sorted(points) == list(range(1, STEPS + 1)), metric.name
            assert all(math.isfinite(value) for value in points.values())


def test_dpo_goes_on_where_it_was_killed(openrlhf_python, tmp_path):
    job, _ = killed_and_resumed(tmp_path, "dpo", openrlhf_python)
    primary("dpo", job)
    assert json.loads((job.attempt(1) / "progress.json").read_text())["step"] == STEPS
    assert [row["name"] for row in job.rows("artifacts.jsonl", 1)] == ["model"]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["sft", "rm", "grpo", "ppo", "reinforce-baseline"])
def test_a_killed_job_goes_on_where_it_was(openrlhf_python, tmp_path, method):
    job, found = killed_and_resumed(tmp_path, method, openrlhf_python)
    primary(method, job)
    if method not in ONLINE:
        return
    after = job.rows("samples/rollout.jsonl", 1)
    assert {row["s"] for row in after} == set(range(found + 1, STEPS + 1))
    # The rows that were left: none of those that the steps before had, two in each.
    again = {row["prompt"] for row in after}
    assert len(again) == 2 * (STEPS - found)
    assert not again & set(sampled(job)[: 2 * found])


def sampled(job):
    """Return the prompts in the order in which the first attempt sampled for them.

    As its workers wrote them: samples follow a second behind, and the kill takes the last.
    """
    files = (job.attempt() / "rollouts").glob("*.jsonl")
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    return list(dict.fromkeys(row["prompt"] for row in sorted(rows, key=lambda row: row["t"])))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dpo", "rm"])
def test_a_resumed_job_repeats_the_curve_of_one_that_was_not_killed(
    openrlhf_python, tmp_path, method
):
    whole = make_job(tmp_path / "whole", method)
    run(whole, openrlhf_python)
    expected = scalars(whole)["train/loss_mean"]
    job = make_job(tmp_path / "killed", method)
    run_until(job, openrlhf_python, KILL_AT)
    run(job, openrlhf_python, attempt=1, resume=True)
    found = scalars(job, 0)["train/loss_mean"] | scalars(job, 1)["train/loss_mean"]
    assert found == pytest.approx(expected, abs=1e-2)


@pytest.mark.slow
def test_an_adapter_is_kept_and_merged_and_a_damaged_checkpoint_passed_over(
    openrlhf_python, tmp_path
):
    job = make_job(tmp_path, "sft", "lora_rank=4")
    run(job, openrlhf_python)
    first = scalars(job)["train/loss_mean"]
    output = job.folder / "output"
    assert [row["name"] for row in job.rows("artifacts.jsonl")] == ["adapter", "model"]
    assert (output / "adapter" / "adapter_model.safetensors").exists()
    assert uses(openrlhf_python, "sft", output / "model")
    assert not (job.attempt() / "scratch").exists()

    # The newest checkpoint is damaged, as by a crash: the one before it is taken.
    weights = output / "checkpoints" / "global_step4" / "mp_rank_00_model_states.pt"
    weights.write_bytes(weights.read_bytes()[:1000])
    said = run(job, openrlhf_python, attempt=1, resume=True)
    assert "global_step4 is not whole (mp_rank_00_model_states.pt is damaged)" in said
    assert "resuming from global_step3" in said
    assert scalars(job, 1)["train/loss_mean"] == pytest.approx({4: first[4]}, abs=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["grpo", "ppo"])
def test_a_trained_reward_model_gives_the_reward(openrlhf_python, tmp_path, method):
    scorer = make_job(tmp_path / "rm", "rm")
    run(scorer, openrlhf_python)
    trial = Trial(tmp_path / "rl", f"openrlhf/{method}")
    scores = tmp_path / "scores"
    shutil.copytree(scorer.folder / "output" / "model", scores)
    trial.edit("reward: reward.py", f"reward: {scores}")
    job = trial.job(*RL)
    run(job, openrlhf_python, models={"reward": str(scores)})
    rewards = scalars(job)["train/reward"]
    assert list(rewards) == list(range(1, STEPS + 1))
    assert all(math.isfinite(value) for value in rewards.values())
    samples = job.rows("samples/rollout.jsonl")
    assert {row["s"] for row in samples} == set(range(1, STEPS + 1))
    assert all(math.isfinite(row["reward"]) for row in samples)
    assert left_outside(job) == []


@pytest.mark.slow
@pytest.mark.parametrize("method", ["sft", "grpo"])
def test_a_checkpoint_with_its_model_can_be_taken_as_one(openrlhf_python, tmp_path, method):
    """What ``model: job:ID@step-N`` needs, and ``save_hf`` asks for."""
    job = make_job(tmp_path, method, "save_hf=true")
    run(job, openrlhf_python)
    own = next(part for part in parts(job) if part.name in ("checkpoints", "_actor"))
    taken = [as_model(own / f"global_step{step}") for step in (STEPS - 1, STEPS)]
    for model in taken:
        assert model is not None and uses(openrlhf_python, method, model)


@pytest.mark.slow
def test_mistakes_are_one_clear_line(openrlhf_python, tmp_path):
    job = make_job(tmp_path / "sft", "sft")
    (tmp_path / "empty").mkdir()
    states = tmp_path / "global_step4" / "mp_rank_00_model_states.pt"
    states.parent.mkdir()
    states.touch()
    for model, said in [
        (tmp_path / "none", "does not exist"),
        (tmp_path / "empty", "has no config.json"),
        (states.parent, "is a checkpoint of DeepSpeed, not a model folder"),
    ]:
        ended_with(job, openrlhf_python, said, model=str(model))


# A regular expression that never ends, and lets no other thread run.
LATE = (
    "import re\nTIME_LIMIT = 1\n"
    "def reward(prompts, completions, answer):\n    re.match('(a+)+b', 'a' * 60)\n"
)
FAILS = "def reward(prompts, completions, answer):\n    raise ValueError('no answer like this')\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "said"),
    [
        (FAILS, "the reward: reward.py raised ValueError: no answer like this"),
        (LATE, "the reward: reward.py took longer than 1 seconds for one call (TIME_LIMIT)"),
    ],
    ids=["raises", "hangs"],
)
def test_a_reward_that_fails_is_one_clear_line(openrlhf_python, tmp_path, source, said):
    trial = Trial(tmp_path, "openrlhf/grpo")
    Path(trial.folder / "reward.py").write_text(source)
    job = trial.job(*RL)
    ended_with(job, openrlhf_python, said, model=TINY)
    assert left_outside(job) == []


def ended_with(job, python, said, **how):
    """Run a job that must fail, and look at the last line it wrote."""
    code, log = run_any(job, python, **how)
    lines = log.splitlines()
    assert code == 1
    assert lines[-1].startswith("error: "), lines[-10:]
    assert said in lines[-1]
