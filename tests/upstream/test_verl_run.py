"""verl's own entries really run on the tiny model: training, kill, resume, merged export."""

import json
import math
import subprocess

import pytest
from trl_support import TINY, Trial, scalars
from verl_support import (
    KILL_AT,
    SETTINGS,
    STEPS,
    clear,
    left_outside,
    make_job,
    run,
    run_until,
)

from starforge.catalog.load import load_catalog
from starforge.server.services.exports import as_model

# A busy machine takes several times as long as a quiet one.
pytestmark = [pytest.mark.upstream, pytest.mark.timeout(1800)]
METHODS = ("sft", "grpo", "dapo", "ppo", "rloo", "reinforce-baseline", "remax", "distillation")
RATE = {"sft": "train/lr"}
GENERATE = """
import sys
from transformers import AutoModelForCausalLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
model = AutoModelForCausalLM.from_pretrained(sys.argv[1])
inputs = tokenizer("1 + 1 =", return_tensors="pt")
made = model.generate(**inputs, max_new_tokens=4, min_new_tokens=4, do_sample=False)
print("tokens", made.shape[1] - inputs["input_ids"].shape[1])
"""


def generates(python, folder):
    """Say whether transformers loads a model folder and generates with it."""
    done = subprocess.run(
        [python, "-c", GENERATE, str(folder)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip() == "tokens 4"


def checkpoints(job):
    return sorted(path.name for path in (job.folder / "output" / "checkpoints").glob("global*"))


def test_grpo_trains_samples_and_exports(verl_python, tmp_path):
    job = make_job(tmp_path, "grpo", "max_steps=2")
    run(job, verl_python)
    series = scalars(job)
    for metric in load_catalog().recipe("verl/grpo").metrics:
        if metric.primary and not metric.name.startswith("validation/"):
            points = dict(next(series[name] for name in metric.native if name in series))
            assert list(points) == [1, 2], metric.name
            assert all(math.isfinite(value) for value in points.values())
    assert json.loads((job.attempt() / "progress.json").read_text())["step"] == 2
    samples = job.rows("samples/rollout.jsonl")
    assert len(samples) == 16  # two steps of two prompts with four answers each
    assert {row["s"] for row in samples} == {1, 2}
    assert {row["group"] for row in samples if row["s"] == 1} == {0, 1}
    assert all(row["rewards"].keys() == {"plain"} for row in samples)
    assert all(row["rewards"]["plain"] == row["reward"] for row in samples)
    lengths = [row["length"] for row in samples if row["s"] == 1]
    assert dict(series["response_length/mean"])[1] == pytest.approx(sum(lengths) / 8, abs=1e-4)
    cut = [row["truncated"] for row in samples if row["s"] == 1]
    assert dict(series["response_length/clip_ratio"])[1] == pytest.approx(sum(cut) / 8, abs=1e-4)
    rewards = [row["reward"] for row in samples if row["s"] == 1]
    assert dict(series["critic/score/mean"])[1] == pytest.approx(sum(rewards) / 8, abs=1e-4)
    assert job.rows("artifacts.jsonl") == [
        {"kind": "model", "path": "output/model", "name": "model"}
    ]
    assert generates(verl_python, job.folder / "output" / "model")
    assert left_outside(job) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "more"),
    [*((method, ()) for method in METHODS), ("sft", ("processes=2",)), ("sft", ("lora_rank=4",))],
)
def test_a_killed_job_goes_on_where_it_was(verl_python, tmp_path, method, more):
    job = make_job(tmp_path, method, *more)
    run_until(job, verl_python, KILL_AT)
    assert left_outside(job) == []
    said = run(job, verl_python, attempt=1, resume=True)
    assert f"resuming from global_step_{KILL_AT}" in said
    before, after = scalars(job, 0), scalars(job, 1)
    rate = RATE.get(method, "actor/lr")
    steps = [step for step, _ in after[rate]]
    assert steps == list(range(KILL_AT + 1, STEPS + 1))
    rates = dict(before[rate]) | dict(after[rate])
    full = rates[1] / (0.5 * (1 + math.cos(math.pi / STEPS)))
    for step, value in rates.items():
        cosine = full * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        assert value == pytest.approx(cosine, abs=full * 1e-4), step
    # Of the default two, the newest; those of the first attempt went behind them.
    assert checkpoints(job) == [f"global_step_{STEPS - 1}", f"global_step_{STEPS}"]
    assert generates(verl_python, job.folder / "output" / "model")
    assert left_outside(job, 1) == []


@pytest.mark.slow
def test_a_resumed_job_takes_the_rows_that_were_left(verl_python, tmp_path):
    job = make_job(tmp_path, "grpo")
    run_until(job, verl_python, KILL_AT)
    run(job, verl_python, attempt=1, resume=True)
    prompts = [row["prompt"] for n in (0, 1) for row in job.rows("samples/rollout.jsonl", n)]
    again = {row["prompt"] for row in job.rows("samples/rollout.jsonl", 1)}
    first = {row["prompt"] for row in job.rows("samples/rollout.jsonl", 0) if row["s"] <= KILL_AT}
    assert len(again) == 4
    assert not again & first
    assert prompts


@pytest.mark.slow
def test_supervised_training_repeats_the_curve_of_one_that_was_not_killed(verl_python, tmp_path):
    whole = make_job(tmp_path / "whole", "sft")
    run(whole, verl_python)
    expected = dict(scalars(whole)["train/loss"])
    assert expected[STEPS] < expected[1]
    # Killed between two epochs: the data of the second must not be skipped.
    job = make_job(tmp_path / "killed", "sft")
    run_until(job, verl_python, KILL_AT)
    run(job, verl_python, attempt=1, resume=True)
    found = dict(scalars(job, 0)["train/loss"]) | dict(scalars(job, 1)["train/loss"])
    assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_a_damaged_checkpoint_is_passed_over(verl_python, tmp_path):
    job = make_job(tmp_path, "sft")
    run(job, verl_python)
    expected = dict(scalars(job)["train/loss"])
    file = next((job.folder / "output/checkpoints/global_step_4").glob("optim*.pt"))
    file.write_bytes(file.read_bytes()[:100])
    said = run(job, verl_python, attempt=1, resume=True)
    assert f"global_step_4 is not whole ({file.name} is damaged)" in said
    assert "resuming from global_step_3" in said
    assert dict(scalars(job, 1)["train/loss"]) == pytest.approx({4: expected[4]}, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "keys"), [("sft", "checkpoint"), ("grpo", "actor_rollout_ref.actor.checkpoint")]
)
def test_a_checkpoint_with_its_model_can_be_taken_as_one(verl_python, tmp_path, method, keys):
    """What ``model: job:ID@step-N`` needs, and only upstream's own key asks for."""
    trial = Trial(tmp_path, f"verl/{method}")
    contents = "[model, optimizer, extra, hf_model]"
    (trial.folder / "config.yaml").write_text(f"{keys}.save_contents: {contents}\n", "utf-8")
    job = trial.job(*SETTINGS[method], "max_steps=2")
    run(job, verl_python)
    assert checkpoints(job) == ["global_step_1", "global_step_2"]
    for name in checkpoints(job):
        model = as_model(job.folder / "output" / "checkpoints" / name)
        assert model is not None and generates(verl_python, model)


@pytest.mark.slow
def test_mistakes_are_one_clear_line(verl_python, tmp_path):
    job = make_job(tmp_path / "sft", "sft")
    (tmp_path / "empty").mkdir()
    shards = tmp_path / "global_step_4" / "model_world_size_1_rank_0.pt"
    shards.parent.mkdir()
    shards.touch()
    (tmp_path / "rm").mkdir()
    (tmp_path / "rm" / "config.json").write_text(
        json.dumps({"model_type": "llama", "architectures": ["LlamaForSequenceClassification"]})
    )
    for model, said in [
        (tmp_path / "none", "does not exist"),
        (tmp_path / "empty", "has no config.json"),
        (shards.parent, "is a checkpoint of verl, not a model folder"),
        (tmp_path / "rm", "can't write text; choose a language model"),
    ]:
        ended_with(job, verl_python, said, model=str(model))


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
def test_a_reward_that_fails_is_one_clear_line(verl_python, tmp_path, source, said):
    trial = Trial(tmp_path, "verl/grpo")
    (trial.folder / "reward.py").write_text(source)
    ended_with(trial.job("max_steps=1"), verl_python, said, model=TINY)


def ended_with(job, python, said, **how):
    """Run a job that must fail, and look at the last line it wrote."""
    process = subprocess.Popen(**job.process(python=python, **how))
    try:
        lines = process.communicate(timeout=600)[0].splitlines()
    finally:
        clear(job, process, 0)
    assert process.returncode == 1
    assert lines[-1].startswith("error: "), lines[-10:]
    assert said in lines[-1]
