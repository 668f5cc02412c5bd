"""TRL's other methods really run on the tiny model: training, validation, resume, adapters."""

import json
import signal
import subprocess

import pytest
from trl_support import TINY, Trial, scalars, wait_for

from starforge.catalog.load import load_catalog

pytestmark = pytest.mark.upstream
DEFAULT = ("dpo", "grpo")  # the others run with `make test-all`
METHODS = [
    pytest.param(name, marks=() if name in DEFAULT else pytest.mark.slow)
    for name in ("dpo", "grpo", "rm", "kto", "rloo", "opsd")
]
REWARDED = ("grpo", "rloo")
MODELS = {"teacher": TINY}


@pytest.fixture
def trial(tmp_path, trl_python):
    return lambda method: Trial(tmp_path, f"trl/{method}")


@pytest.mark.parametrize("method", METHODS)
def test_train_validate_and_resume(trial, trl_python, method):
    made = trial(method)
    rows = made.read_rows()
    # Two steps are an epoch, so that the run resumes in a later one, in the middle of it.
    made.write_rows(rows[:4] if method in REWARDED else rows)
    made.write_rows(rows[:4], "validation")
    job = made.job("max_steps=6", "save_steps=3", "validation_strategy=steps",
                   "validation_steps=3", "validation_batch_size=4")  # fmt: skip
    done = job.run(python=trl_python, model=TINY, models=MODELS)
    assert done.returncode == 0, done.stdout
    series = scalars(job)
    assert [step for step, _ in series["train/loss"]] == [1, 2, 3, 4, 5, 6]
    recipe = load_catalog().recipe(f"trl/{method}")
    for metric in recipe.metrics:
        if metric.primary:
            assert any(native in series for native in metric.native), metric.name
    assert json.loads((job.attempt() / "progress.json").read_text())["total"] == 6
    samples = job.rows("samples/validation.jsonl")
    assert {row["s"] for row in samples} == {3, 6}
    assert all(isinstance(row["prompt"], str) and row["prompt"] for row in samples)
    model = json.loads((job.folder / "output" / "model" / "config.json").read_text())
    kind = "LlamaForSequenceClassification" if method == "rm" else "LlamaForCausalLM"
    assert model["architectures"] == [kind]
    assert (job.folder / "output" / "model" / "tokenizer.json").exists()

    # The newest checkpoint is damaged: the run goes on from the one before.
    state = job.folder / "output" / "checkpoints" / "checkpoint-6" / "trainer_state.json"
    state.write_text(state.read_text()[:100])
    done = job.run(python=trl_python, model=TINY, models=MODELS, attempt=1, resume=True)
    assert done.returncode == 0, done.stdout
    assert "resuming from checkpoint-3" in done.stdout
    # A resumed run takes the same steps as the one that was not interrupted.
    for name in ("train/loss", "train/reward") if method in REWARDED else ("train/loss",):
        again, before = dict(scalars(job, 1)[name]), dict(series[name])
        assert again == pytest.approx({step: before[step] for step in (4, 5, 6)}, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_killed_trainer_goes_on_from_its_last_checkpoint(trial, trl_python, method):
    job = trial(method).job("max_steps=60", "save_steps=2")
    process = subprocess.Popen(**job.process(python=trl_python, model=TINY, models=MODELS))
    try:
        checkpoints = job.folder / "output" / "checkpoints"
        wait_for(checkpoints / "checkpoint-4" / "trainer_state.json", process)
        process.send_signal(signal.SIGKILL)
        assert process.wait(20) == -signal.SIGKILL
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    done = job.run(python=trl_python, model=TINY, models=MODELS, attempt=1, resume=True)
    assert done.returncode == 0, done.stdout
    start = int(done.stdout.partition("resuming from checkpoint-")[2].split()[0])
    assert start >= 4
    steps = [step for step, _ in scalars(job, 1)["train/loss"]]
    assert steps == list(range(start + 1, 61))
    assert json.loads((job.attempt(1) / "progress.json").read_text())["step"] == 60


@pytest.mark.slow
@pytest.mark.parametrize("method", [param.values[0] for param in METHODS])
def test_lora_leaves_an_adapter_and_a_merged_model(trial, trl_python, method):
    job = trial(method).job("max_steps=2", "lora=true", "lora_targets=[q_proj, v_proj]")
    done = job.run(python=trl_python, model=TINY, models=MODELS)
    assert done.returncode == 0, done.stdout
    output = job.folder / "output"
    assert (output / "adapter" / "adapter_model.safetensors").exists()
    assert [row["name"] for row in job.rows("artifacts.jsonl")] == ["adapter", "model"]
    adapter = json.loads((output / "adapter" / "adapter_config.json").read_text())
    assert adapter["base_model_name_or_path"] == TINY
    assert adapter["task_type"] == ("SEQ_CLS" if method == "rm" else "CAUSAL_LM")
    assert (output / "model" / "model.safetensors").exists()
    assert not (output / "model" / "adapter_config.json").exists()


@pytest.mark.slow
def test_a_trained_reward_model_can_be_the_reward(trial, trl_python, tmp_path):
    trained = Trial(tmp_path / "rm", "trl/rm").job("max_steps=2")
    assert trained.run(python=trl_python, model=TINY).returncode == 0
    reward = str(trained.folder / "output" / "model")
    made = Trial(tmp_path / "grpo", "trl/grpo")
    made.edit("reward: reward.py", f"reward: {reward}")
    job = made.job("max_steps=2", "kl_coef=0.1")
    done = job.run(python=trl_python, model=TINY, models={"reward": reward})
    assert done.returncode == 0, done.stdout
    series = scalars(job)
    assert series["train/rewards/reward_model/mean"] == series["train/reward"]
    assert [step for step, _ in series["train/kl"]] == [1, 2]
    sample = job.rows("samples/train.jsonl")[0]
    assert isinstance(sample["reward"], float)
    assert "rewards" not in sample


@pytest.mark.slow
@pytest.mark.parametrize("method", [param.values[0] for param in METHODS])
def test_text_rows_are_taken_as_well(trial, trl_python, method):
    made = trial(method)
    made.write_rows([TEXT_ROWS[method](number) for number in range(8)])
    job = made.job("max_steps=1")
    done = job.run(python=trl_python, model=TINY, models=MODELS)
    assert done.returncode == 0, done.stdout
    assert job.rows("samples/train.jsonl")


TEXT_ROWS = {
    "dpo": lambda n: {"chosen": f"{n} + 1 = {n + 1}", "rejected": f"{n} + 1 = 0"},
    "rm": lambda n: {"prompt": f"{n} + 1 = ", "chosen": f"{n + 1}", "rejected": "0"},
    "kto": lambda n: {"prompt": f"{n} + 1 = ", "completion": f"{n}", "label": n % 2 == 0},
    "grpo": lambda n: {"prompt": f"{n} + 1 = ", "answer": str(n + 1)},
    "rloo": lambda n: {"prompt": f"{n} + 1 = ", "answer": str(n + 1)},
    "opsd": lambda n: {"prompt": f"{n} + 1 = "},
}


@pytest.mark.slow
def test_mistakes_are_one_clear_line(trial, trl_python, tmp_path):
    made = Trial(tmp_path / "grpo", "trl/grpo")
    (made.folder / "reward.py").write_text("def reward(prompts, completions): return [1.0]")
    done = made.job("max_steps=1").run(python=trl_python, model=TINY)
    assert_one_line(done, "reward: reward.py returned 1 rewards for 8 completions")
    (made.folder / "reward.py").write_text(
        "import re\nTIME_LIMIT = 1\n"
        "def reward(prompts, completions):\n    re.match('(a+)+b', 'a' * 60)\n"
    )
    done = made.job("max_steps=1", name="late").run(python=trl_python, model=TINY)
    assert_one_line(done, "reward: reward.py took longer than 1 seconds for one call (TIME_LIMIT)")

    teacher = tmp_path / "teacher"
    teacher.mkdir()
    (teacher / "config.json").write_text(json.dumps(
        {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 300}
    ))  # fmt: skip
    made = Trial(tmp_path / "opsd", "trl/opsd")
    job = made.job("max_steps=1")
    done = job.run(python=trl_python, model=TINY, models={"teacher": str(teacher)})
    assert_one_line(done, "the teacher has 300 tokens, the trained model 264")


def assert_one_line(done, said):
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stdout
    last = done.stdout.splitlines()[-1]
    assert last.startswith("error: ")
    assert said in last
