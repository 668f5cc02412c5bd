"""trl/sft really run on the tiny model: training, resume, adapters, mistakes, stop."""

import json
import math
import signal
import subprocess
import time

import pytest
from job_support import Job
from trl_support import TINY, scalars

from starforge.catalog.load import load_catalog
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare

pytestmark = pytest.mark.upstream


@pytest.fixture
def make_job(tmp_path, trl_python):
    """Return a function that prepares ``sf new``'s experiment with changes, as a job."""
    init_lab(tmp_path / "lab")
    catalog = load_catalog()
    folder = new_experiment(
        Lab(tmp_path / "lab"), "try", catalog.recipe("trl/sft"), catalog, lang="en"
    )

    def make(
        *sets: str, name: str = "job", rows: list | None = None, validation: bool = False
    ) -> Job:
        if rows is not None:
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / "data" / "train.jsonl").write_text(text)
        if validation:
            (folder / "data" / "validation.jsonl").write_text(
                '{"messages": [{"role": "user", "content": "new?"}, '
                '{"role": "assistant", "content": "yes"}]}\n'
            )
            text = (folder / "experiment.yaml").read_text()
            text = text.replace("  # validation: data", "  validation: data")
            (folder / "experiment.yaml").write_text(text)
        prepared = prepare(folder, sets=sets)
        assert prepared.ok, prepared.findings
        return Job(tmp_path / name, prepared.plan, prepared.context)

    return make


def test_train_then_resume_from_the_last_whole_checkpoint(make_job, trl_python):
    job = make_job("max_steps=4", "save_steps=2", "validation_strategy=steps",
                   "validation_steps=2", validation=True)  # fmt: skip
    done = job.run(python=trl_python, model=TINY)
    assert done.returncode == 0, done.stdout
    series = scalars(job)
    assert [step for step, _ in series["train/loss"]] == [1, 2, 3, 4]
    assert [step for step, _ in series["eval/loss"]] == [2, 4]
    assert json.loads((job.attempt() / "progress.json").read_text())["step"] == 4
    samples = job.rows("samples/validation.jsonl")
    assert [(row["s"], row["reference"]) for row in samples] == [(2, "yes"), (4, "yes")]
    assert samples[0]["prompt"].endswith("<|im_start|>assistant\n")
    assert job.rows("artifacts.jsonl") == [
        {"kind": "model", "path": "output/model", "name": "model"}
    ]
    model = job.folder / "output" / "model"
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= {
        f.name for f in model.iterdir()
    }
    assert not (model / "training_args.bin").exists()
    assert not (job.attempt() / "scratch").exists()

    # The newest checkpoint is damaged, as by a crash: the one before it is taken.
    weights = job.folder / "output" / "checkpoints" / "checkpoint-4" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    done = job.run(python=trl_python, model=TINY, attempt=1, resume=True)
    assert done.returncode == 0, done.stdout
    assert "checkpoint-4 is not whole (model.safetensors is damaged)" in done.stdout
    assert "resuming from checkpoint-2" in done.stdout
    # A resumed run takes the same steps as the one that was not interrupted.
    again, before = dict(scalars(job, 1)["train/loss"]), dict(series["train/loss"])
    assert again == pytest.approx({step: before[step] for step in (3, 4)}, abs=1e-4)


@pytest.mark.parametrize(
    "rows",
    [
        [{"text": f"line {i}"} for i in range(4)],
        [{"prompt": f"{i} + 1 =", "completion": f" {i + 1}", "note": i} for i in range(4)],
        [{"prompt": [{"role": "user", "content": f"{i}?"}],
          "completion": [{"role": "assistant", "content": f"{i}!"}]} for i in range(4)],
    ],
    ids=["text", "prompt-completion", "prompt-completion-messages"],
)  # fmt: skip
def test_other_shapes_with_lora(make_job, trl_python, rows):
    job = make_job("max_steps=1", "lora=true", "lora_targets=[q_proj, v_proj]", rows=rows)
    done = job.run(python=trl_python, model=TINY)
    assert done.returncode == 0, done.stdout
    output = job.folder / "output"
    assert (output / "adapter" / "adapter_model.safetensors").exists()
    # Merged: the model can be used by itself.
    assert (output / "model" / "model.safetensors").exists()
    assert not (output / "model" / "adapter_config.json").exists()
    assert job.rows("samples/train.jsonl")


def test_assistant_only_and_packing(make_job, trl_python):
    job = make_job("max_steps=2", "assistant_only=true", "packing=true", "max_tokens=64",
                   "gradient_accumulation=2", "warmup_steps=0.5")  # fmt: skip
    done = job.run(python=trl_python, model=TINY)
    assert done.returncode == 0, done.stdout


def test_a_nan_loss_is_written_as_nan(make_job, trl_python):
    job = make_job("max_steps=4", "learning_rate=1e30", "max_grad_norm=0", "save_strategy=no")
    job.run(python=trl_python, model=TINY)
    # Upstream's filter would hide it behind an average of earlier steps.
    assert math.isnan(scalars(job)["train/loss"][-1][1])


def test_mistakes_are_one_clear_line(make_job, trl_python, tmp_path):
    job = make_job("max_steps=1")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text(
        '{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}'
    )
    for model, inside in [
        (str(tmp_path / "none"), "does not exist"),
        (str(tmp_path), "has no config.json"),
        (str(broken), "the tokenizer of"),
    ]:  # fmt: skip
        done = job.run(python=trl_python, model=model)
        assert done.returncode == 1
        assert "Traceback" not in done.stdout
        last = done.stdout.splitlines()[-1]
        assert last.startswith("error: "), done.stdout
        assert inside in last


def test_an_older_checkpoint_goes_only_when_the_newer_is_whole(make_job, trl_python):
    job = make_job("max_steps=12", "save_steps=1", "save_limit=1")
    folder = job.folder / "output" / "checkpoints"
    process = subprocess.Popen(**job.process(python=trl_python, model=TINY))
    try:
        seen, checkpoints = 0, set()
        while process.poll() is None:
            whole = whole_ones(folder)
            seen = max([seen, *whole])
            checkpoints.update(whole)
            # From the first one on there is always one to go on from, but for a look that fell
            # between two names: the second look finds it.
            assert not seen or whole or whole_ones(folder) or whole_ones(folder)
            time.sleep(0.005)
        assert process.returncode == 0, process.stdout.read()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert len(checkpoints) > 1  # it was watched
    assert whole_ones(folder) == [12]


def whole_ones(folder):
    """Return the steps of checkpoints with weights, optimizer and the state that comes last."""
    parts = ("model.safetensors", "optimizer.pt", "scheduler.pt", "trainer_state.json")
    return sorted(
        int(path.name.rpartition("-")[2])
        for path in folder.glob("checkpoint-*")
        if all((path / part).exists() for part in parts)
    )


def test_sigterm_ends_it_quickly_with_143(make_job, trl_python):
    job = make_job("max_steps=100000", "save_strategy=no")
    process = subprocess.Popen(**job.process(python=trl_python, model=TINY))
    try:
        progress = job.attempt() / "progress.json"
        deadline = time.monotonic() + 120
        while not progress.exists():
            assert process.poll() is None, process.stdout.read()
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 143
        assert "stopped by SIGTERM" in process.stdout.read()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
